import { installMessage } from '../../sandbox/n8n/installMessages';

/** What `npm rebuild` wrote where GitHub could not be reached, up to where the tools differ. */
const DOWNLOAD = `npm error prebuild-install warn install cause=connect ECONNREFUSED 127.0.0.1:9
npm error gyp info using node-gyp@8.4.1
npm error gyp `;
const NO_PYTHON = `${DOWNLOAD}ERR! find Python Python is not set from command line or npm configuration
npm error gyp ERR! stack Error: Could not find any Python installation to use
npm error gyp ERR! stack     at PythonFinder.fail (node-gyp/lib/find-python.js:330:47)`;
const WITH_PYTHON = `${DOWNLOAD}info find Python found at "/usr/bin/python3"
npm error `;

describe('the message when n8n was not installed', () => {
	it.each([
		['Python 3', NO_PYTHON],
		['make', `${WITH_PYTHON}gyp ERR! stack Error: not found: make`],
		['a C++ compiler', `${WITH_PYTHON}make: cc: No such file or directory`],
		["Python's setuptools", `${WITH_PYTHON}ModuleNotFoundError: No module named 'distutils'`],
	])('says that %s is missing for the native modules', (tool, output) => {
		const message = installMessage('rebuild', output);
		expect(message).toContain(`nor compiled: ${tool} not found. Install`);
		expect(message).toContain('ECONNREFUSED 127.0.0.1:9');
		expect(message).not.toContain('registry');
		expect(message).not.toContain('find-python.js');
	});

	it.each([
		['install', 'ENOTFOUND', "registry couldn't be reached (ENOTFOUND)"],
		['rebuild', 'ENOSPC', 'The disk is full'],
	] as const)('says on %s with %s: %s', (phase, code, message) => {
		expect(installMessage(phase, `npm error code ${code}`)).toContain(message);
	});
});
