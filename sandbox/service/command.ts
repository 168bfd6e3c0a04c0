import { parseArgs } from 'node:util';

import { isRecord } from '../guards';
import { createSandbox, DEFAULT_PORT, type SandboxHandle, SEED } from '.';

const USAGE = `Usage: npm run sandbox [-- [complete ID | abort ID] [--port N]]

  (no command)  starts the sandbox
  complete ID   completes an instance in the running sandbox
  abort ID      aborts an instance in the running sandbox
  --port N      the port on 127.0.0.1, by default ${DEFAULT_PORT}. 0 starts on a free one
  --help        shows this help`;

const STATES = new Map([
	['complete', 'completed'],
	['abort', 'aborted'],
]);

/** The result of a command: a text to show, and the sandbox if it started one. */
interface Outcome {
	text: string;
	sandbox?: SandboxHandle;
}

/** Which instances to try, one group a line. */
export const INSTANCES_TO_TRY = `${SEED.all[0]} to ${SEED.all.at(-1)}, including
    ${SEED.running}  running
    ${SEED.fullyFilled}  running, with all fields set
    ${SEED.autoNamed}  named automatically by its process
    ${SEED.overdue}  overdue
    ${SEED.completed}  completed recently
    ${SEED.aborted}  aborted
    ${SEED.completedLongAgo.slice(0, 5).join(', ')}, …  completed more than 30 days ago`;

/** How to complete an instance of a running sandbox: nobody works in it. */
export function howToComplete(port: number): string {
	const option = port === DEFAULT_PORT ? '' : ` --port ${port}`;
	return `npm run sandbox -- complete ${SEED.running}${option}   (in a second terminal, or abort)`;
}

const welcome = ({ baseUrl, url, port, apiKey }: SandboxHandle): string =>
	`Sandbox for the Workflow Instance Service

  Base URL   ${baseUrl}
  API Key    ${apiKey}   (for this sandbox only)

  Instances  ${INSTANCES_TO_TRY}

  Try        curl -H 'Authorization: Api-Key ${apiKey}' ${baseUrl}/instances/${SEED.running}/
  Complete   ${howToComplete(port)}
  Control    ${url}/control

Press Ctrl-C to stop.`;

async function start(port: number): Promise<Outcome> {
	try {
		const sandbox = await createSandbox({ port });
		return { text: welcome(sandbox), sandbox };
	} catch (cause) {
		if (!isRecord(cause) || cause.code !== 'EADDRINUSE') throw cause;
		throw new Error(`Port ${port} is in use. Free it, or choose another one with --port N.`);
	}
}

/**
 * Calls a method of a running sandbox's control.
 *
 * @param url the address of the sandbox, without a slash at the end
 * @throws when no sandbox is running there, or it rejects the call
 */
export async function callControl(url: string, name: string, values: unknown[]): Promise<unknown> {
	const headers = { 'content-type': 'application/json' };
	const body = JSON.stringify(values);
	const response = await fetch(`${url}/control/${name}`, { method: 'POST', headers, body });
	const answer: unknown = await response.json();
	if (response.ok && isRecord(answer)) return answer.result;
	throw new Error(`The sandbox at ${url} rejected ${name} (${response.status}).`);
}

async function changeState(port: number, id: number, state: string): Promise<Outcome> {
	const change = callControl(`http://127.0.0.1:${port}`, 'change', [id, { state }]);
	const isChanged = await change.catch(() => {
		throw new Error(
			`No sandbox is running on port ${port}. Start one with \`npm run sandbox\` or \`npm start\`, ` +
				'or set its port with --port N.',
		);
	});
	if (!isChanged) throw new Error(`The sandbox on port ${port} has no instance ${id}.`);
	return { text: `Instance ${id} is ${state}.` };
}

/**
 * Runs `npm run sandbox`.
 *
 * @param args what follows the name of the script on the command line
 * @throws with a message for people
 */
export async function runCommand(args: string[]): Promise<Outcome> {
	const port = { type: 'string', default: String(DEFAULT_PORT) } as const;
	const help = { type: 'boolean', short: 'h' } as const;
	const parsed = parseArgs({ args, allowPositionals: true, options: { port, help } });
	const { values, positionals } = parsed;
	if (values.help) return { text: USAGE };
	const [verb, id] = positionals;
	if (verb === undefined) return await start(Number(values.port));
	const state = STATES.get(verb);
	if (!state || !id) throw new Error(`Unknown command.\n\n${USAGE}`);
	return await changeState(Number(values.port), Number(id), state);
}
