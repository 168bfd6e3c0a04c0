import { mkdirSync } from 'node:fs';

import { n8nEnvironment } from './environment';
import { n8nScript } from './install';
import { freePort } from './ports';
import { startNode } from './process';

export interface N8nCommandResult {
	code: number | null;
	/** What the command printed, log lines included. */
	stdout: string;
	stderr: string;
}

/**
 * Runs one command of n8n's command line, such as `['import:workflow', '--input=f.json']`, and waits
 * for its end. Never throws for an exit code.
 * @param userFolder n8n's state, which must not be in use by a running n8n when the command writes
 */
export async function n8nCommand(
	args: string[],
	userFolder: string,
	extra: Record<string, string> = {},
): Promise<N8nCommandResult> {
	mkdirSync(userFolder, { recursive: true });
	const lines: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
	const child = startNode([n8nScript, ...args], {
		cwd: userFolder,
		env: n8nEnvironment(userFolder, {
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			...extra,
		}),
		onLine: (line, stream) => lines[stream].push(line),
	});
	const { code } = await child.exited;
	return { code, stdout: lines.stdout.join('\n'), stderr: lines.stderr.join('\n') };
}

/**
 * The JSON object that `n8n execute --rawOutput` prints among its log lines. n8n indents it, so its
 * first and its last line are a brace and nothing else.
 * @throws SyntaxError when there is none
 */
export function printedJson(stdout: string): unknown {
	const lines = stdout.split('\n');
	const json = lines.slice(lines.indexOf('{'), lines.lastIndexOf('}') + 1).join('\n');
	const parsed: unknown = JSON.parse(json);
	return parsed;
}
