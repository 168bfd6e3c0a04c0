import { relative } from 'node:path';

import { n8nFolder, rootFolder } from './paths';

const networkCodes =
	/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|E50[0-9])\b/;

const advice = {
	install: "Look at npm's own words below, then run the same command again.",
	rebuild:
		'The native modules sqlite3 and isolated-vm could not be built. On a system without ready-made ' +
		'binaries this takes a C++ compiler, make and Python 3: install them, then run the same ' +
		'command again.',
	check:
		`The installed n8n does not start. Remove the folder ${relative(rootFolder, n8nFolder)}/node_modules, ` +
		'then run the same command again.',
};

function adviceFor(phase: keyof typeof advice, output: string): string {
	const network = networkCodes.exec(output)?.[1];
	if (network) {
		return (
			`The package registry could not be reached (${network}). Check the network connection and ` +
			"npm's registry and proxy settings, then run the same command again."
		);
	}
	if (output.includes('ENOSPC')) {
		return 'The disk is full: n8n takes about 2.5 GB. Free some space, then run the same command again.';
	}
	return advice[phase];
}

const shownLines = 10;
const stackLine = /^npm error\s+(at |\w+: |\})/;

/** npm says the reason first and ends with general help; other programs end with the reason. */
function tellingLines(output: string): string {
	const lines = output.split('\n');
	const ofNpm = lines.filter((line) => line.startsWith('npm error') && !stackLine.test(line));
	return (ofNpm.length > 0 ? ofNpm.slice(0, shownLines) : lines.slice(-shownLines)).join('\n');
}

/**
 * What is said when a phase of the installation of n8n did not end well.
 * @param output all that the command wrote
 */
export function installMessage(phase: keyof typeof advice, output: string): string {
	return `n8n was not installed. ${adviceFor(phase, output)}\n${tellingLines(output)}`;
}
