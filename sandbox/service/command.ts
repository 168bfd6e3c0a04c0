import { parseArgs } from 'node:util';

import { isRecord } from '../guards';
import { createSandbox, DEFAULT_PORT, SEED } from '.';
import type { SandboxHandle } from '.';

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

/** Ends the command with a message for people. */
export class CommandFailed extends Error {}

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

const unknown = () => new CommandFailed(`Unknown command or option.\n\n${USAGE}`);

function read(args: string[]) {
	try {
		const { values, positionals } = parseArgs({
			args,
			allowPositionals: true,
			options: {
				port: { type: 'string', default: String(DEFAULT_PORT) },
				help: { type: 'boolean', short: 'h' },
			},
		});
		const [verb, id] = positionals;
		const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Infinity;
		if (port <= 65_535 && positionals.length <= 2) return { port, help: values.help, verb, id };
	} catch {
		// Node.js's own message doesn't help here.
	}
	throw unknown();
}

async function start(port: number): Promise<Outcome> {
	try {
		const sandbox = await createSandbox({ port });
		return { text: welcome(sandbox), sandbox };
	} catch (cause) {
		if (!isRecord(cause) || cause.code !== 'EADDRINUSE') throw cause;
		throw new CommandFailed(
			`Port ${port} is in use. Free it, or choose another one with --port N.`,
		);
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
		throw new CommandFailed(
			`No sandbox is running on port ${port}. Start one with \`npm run sandbox\` or \`npm start\`, ` +
				'or set its port with --port N.',
		);
	});
	if (!isChanged) throw new CommandFailed(`The sandbox on port ${port} has no instance ${id}.`);
	return { text: `Instance ${id} is ${state}.` };
}

/**
 * Runs `npm run sandbox`.
 *
 * @param args what follows the name of the script on the command line
 * @throws CommandFailed with a message for people
 */
export async function runCommand(args: string[]): Promise<Outcome> {
	const { port, help, verb, id } = read(args);
	if (help) return { text: USAGE };
	if (verb === undefined) return await start(port);
	const state = STATES.get(verb);
	if (state === undefined || id === undefined) throw unknown();
	return await changeState(port, Number(id), state);
}
