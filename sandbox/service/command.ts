import { parseArgs } from 'node:util';

import { isRecord, textAt } from '../guards';
import { createSandbox, DEFAULT_PORT, type SandboxHandle, SEED } from '.';

const USAGE = `Usage: npm run sandbox [-- [COMMAND] [--port N]]

  (no command)  starts the sandbox
  advance ID    moves an instance to its next stage
  complete ID   completes an instance
  abort ID      aborts an instance
  reopen ID     reopens a completed or aborted instance
  reset         resets everything
  --port N      the port on 127.0.0.1, by default ${DEFAULT_PORT}. 0 starts on a free one
  --help        shows this help`;

const VERBS = ['advance', 'complete', 'abort', 'reopen'];

/** A text to show, and the sandbox if the command started one. */
interface Outcome {
	text: string;
	sandbox?: SandboxHandle;
}

function instancesOf({ control }: SandboxHandle): string {
	const ids = control.ids();
	const missing = SEED.all.filter((id) => !ids.includes(id));
	const groups: Array<[number[], string]> = [
		[[SEED.running], 'running'],
		[[SEED.fullyFilled], 'running, with all fields set'],
		[[SEED.autoNamed], 'named automatically by its process'],
		[[SEED.overdue], 'overdue'],
		[[SEED.completed], 'completed recently'],
		[[SEED.aborted], 'aborted'],
		[SEED.completedLongAgo, 'completed more than 30 days ago'],
	];
	const lines = groups.map(([group, what]) => {
		const existing = group.filter((id) => ids.includes(id)).slice(0, 5);
		return `\n    ${existing.join(', ')}  ${what}`;
	});
	const gone = missing.length === 0 ? '' : ` without ${missing.join(', ')}`;
	return `${ids[0]} to ${ids.at(-1)}${gone}, including${lines.join('')}`;
}

export function describeSandbox(sandbox: SandboxHandle): string {
	const { baseUrl, port, apiKey } = sandbox;
	const option = port === DEFAULT_PORT ? '' : ` --port ${port}`;
	return `Sandbox for the Workflow Instance Service

  Base URL   ${baseUrl}
  API Key    ${apiKey}   (for this sandbox only)

  Instances  ${instancesOf(sandbox)}

  In a second terminal, change an instance like people do in the service:
    npm run sandbox -- advance ${SEED.fullyFilled}${option}   (or complete, abort, reopen)
    npm run sandbox -- reset${option}   (resets everything)`;
}

const welcome = (sandbox: SandboxHandle): string => `${describeSandbox(sandbox)}

  Try        curl -H 'Authorization: Api-Key ${sandbox.apiKey}' ${sandbox.baseUrl}/instances/${SEED.running}/
  Control    ${sandbox.url}/control

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

/** Calls a method of a running sandbox's control. */
async function tell(port: number, verb: string, values: number[]): Promise<unknown> {
	const headers = { 'content-type': 'application/json' };
	const request = { method: 'POST', headers, body: JSON.stringify(values) };
	const response = fetch(`http://127.0.0.1:${port}/control/${verb}`, request);
	// Something else may be listening there.
	const content: unknown = await response
		.then(async (received) => received.ok && (await received.json()))
		.catch(() => undefined);
	if (isRecord(content)) return content.result;
	throw new Error(
		`No sandbox is running on port ${port}. Start one with \`npm run sandbox\` or \`npm start\`, ` +
			'or set its port with --port N.',
	);
}

/**
 * Runs `npm run sandbox`.
 *
 * @param args what follows the name of the script on the command line
 * @throws with a message for people
 */
export async function runCommand(args: string[]): Promise<Outcome> {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			port: { type: 'string', default: String(DEFAULT_PORT) },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help) return { text: USAGE };
	const [verb, id] = positionals;
	const port = Number(values.port);
	if (!Number.isInteger(port)) throw new Error(`--port has to be a number.\n\n${USAGE}`);
	if (verb === undefined) return await start(port);
	if (verb === 'reset') {
		await tell(port, verb, []);
		return { text: 'The sandbox was reset.' };
	}
	if (!VERBS.includes(verb)) throw new Error(`Unknown command.\n\n${USAGE}`);
	if (!/^\d+$/.test(id ?? '')) throw new Error(`Add the ID of an instance, a number, to ${verb}.`);
	const instance = await tell(port, verb, [Number(id)]);
	if (!instance) throw new Error(`The sandbox on port ${port} has no instance ${id}.`);
	return { text: `Instance ${id} is now in the stage ${textAt(instance, 'stage', 'It')}.` };
}
