import { installDebianPackages } from '../../sandbox/programs';
import { findBrowser, NO_BROWSER } from './support/browser';

if (findBrowser() === undefined) installDebianPackages('chromium');
process.stdout.write(`${findBrowser() ?? NO_BROWSER}\n`);
process.exitCode = findBrowser() === undefined ? 1 : 0;
