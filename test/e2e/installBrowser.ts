import { messageOf } from '../../sandbox/guards';
import { installDebianPackages } from '../../sandbox/programs';
import { findBrowser, NO_BROWSER } from './support/browser';

function haveBrowser(): string {
	if (findBrowser() === undefined) installDebianPackages('chromium');
	const browser = findBrowser();
	if (browser === undefined) throw new Error(NO_BROWSER);
	return browser;
}

try {
	process.stdout.write(`${haveBrowser()}\n`);
} catch (error) {
	process.stderr.write(`${messageOf(error)}\n`);
	process.exitCode = 1;
}
