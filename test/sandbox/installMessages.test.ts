import { installMessage } from '../../sandbox/n8n/installMessages';

/** What `npm rebuild` wrote where GitHub could not be reached, up to where the tools differ. */
const DOWNLOAD = `npm error code 1
npm error prebuild-install warn install tunneling socket could not be established, cause=connect ECONNREFUSED 127.0.0.1:9
npm error gyp info using node-gyp@8.4.1
`;
const NO_PYTHON = `${DOWNLOAD}npm error gyp ERR! find Python Python is not set from command line or npm configuration
npm error gyp ERR! stack Error: Could not find any Python installation to use
npm error gyp ERR! stack     at PythonFinder.fail (node-gyp/lib/find-python.js:330:47)`;
const PYTHON_FOUND = `${DOWNLOAD}npm error gyp info find Python using Python version 3.11.7 found at "/usr/bin/python3"
`;
const NO_MAKE = `${PYTHON_FOUND}npm error gyp ERR! build error
npm error gyp ERR! stack Error: not found: make`;
const NO_COMPILER = `${PYTHON_FOUND}npm error gyp info spawn make
npm error make: cc: No such file or directory
npm error gyp ERR! stack Error: \`make\` failed with exit code: 2`;
const OLD_PYTHON_TOOLS = `${PYTHON_FOUND}npm error Traceback (most recent call last):
npm error ModuleNotFoundError: No module named 'distutils'`;

describe('the message when n8n was not installed', () => {
	it.each([
		['Python 3', NO_PYTHON],
		['make', NO_MAKE],
		['a C++ compiler', NO_COMPILER],
		["Python's setuptools", OLD_PYTHON_TOOLS],
	])('says that %s is missing for the native modules', (tool, output) => {
		const message = installMessage('rebuild', output);
		expect(message).toContain(`nor compiled: ${tool} not found. Install`);
		expect(message).toContain('ECONNREFUSED 127.0.0.1:9');
		expect(message).not.toContain('registry');
		expect(message).not.toContain('find-python.js');
	});

	it.each([
		['install', 'ENOTFOUND', "registry couldn't be reached (ENOTFOUND)"],
		['install', 'ENOSPC', 'The disk is full'],
		['rebuild', 'ENOSPC', 'The disk is full'],
	] as const)('says on %s with %s: %s', (phase, code, message) => {
		expect(installMessage(phase, `npm error code ${code}`)).toContain(message);
	});
});
