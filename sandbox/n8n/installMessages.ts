import { relative } from 'node:path';

import { n8nFolder, rootFolder } from './paths';

const networkCodes =
	/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|E50[0-9])\b/;

const again = 'then run the same command again.';

/** What node-gyp, make and the shell write when a build tool is missing. */
const missingTools: Array<[RegExp, string]> = [
	[/gyp ERR! find Python|Could not find any Python/, 'Python 3'],
	[/No module named '?distutils/, "Python's setuptools"],
	[/not found: make/, 'make'],
	[
		/\b(cc|gcc|clang|c\+\+|g\+\+|clang\+\+)(:| ).*(not found|No such file)|find VS/,
		'a C++ compiler',
	],
];

function installAdvice(output: string): string {
	const network = networkCodes.exec(output)?.[1];
	return network
		? `The package registry couldn't be reached (${network}). Check the network connection and ` +
				`npm's registry and proxy settings, ${again}`
		: `See npm's output below, ${again}`;
}

/**
 * The prebuilt file of sqlite3 isn't in a package registry, so an unreachable registry is never the
 * reason.
 */
function rebuildAdvice(output: string): string {
	const missing = missingTools.filter(([sign]) => sign.test(output)).map(([, tool]) => tool);
	const reason = missing.length > 0 ? `: ${missing.join(' and ')} not found` : '';
	return (
		'Its native modules sqlite3 and isolated-vm could neither be downloaded as prebuilt files nor ' +
		`compiled${reason}. Install a C++ compiler, make and Python 3 ` +
		'(Debian, Ubuntu: apt-get install g++ make python3 python3-setuptools; macOS: xcode-select ' +
		"--install; Windows: Python and 'Desktop development with C++' of the Visual Studio Build " +
		`Tools), or allow downloads from github.com and nodejs.org, ${again}`
	);
}

const advice = {
	install: installAdvice,
	rebuild: rebuildAdvice,
	check: () =>
		`The installed n8n doesn't start. Remove the folder ${relative(rootFolder, n8nFolder)}/node_modules, ` +
		again,
};

const shownLines = 10;
const noise = /^npm error(\s{2,}| \}$| gyp (info|verb|ERR! find|ERR! stack\s{2,}))/;

/** npm reports the reason first and ends with general help. Other programs end with the reason. */
function tellingLines(output: string): string {
	const lines = output.split('\n');
	const ofNpm = lines.filter((line) => line.startsWith('npm error') && !noise.test(line));
	return (ofNpm.length > 0 ? ofNpm.slice(0, shownLines) : lines.slice(-shownLines)).join('\n');
}

/**
 * The message when a phase of the installation of n8n failed.
 * @param output everything the command wrote
 */
export function installMessage(phase: keyof typeof advice, output: string): string {
	const text = output.includes('ENOSPC')
		? `The disk is full: n8n takes about 2.5 GB. Free some space, ${again}`
		: advice[phase](output);
	return `n8n wasn't installed. ${text}\n${tellingLines(output)}`;
}
