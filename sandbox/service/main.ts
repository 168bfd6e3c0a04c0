import { parseArgs } from 'node:util';
import { createSandbox, DEFAULT_PORT, SEED } from '.';
import type { SandboxHandle } from '.';

const USAGE = `Usage: node --import tsx sandbox/service/main.ts [--port N]

  --port N   port on 127.0.0.1, default ${DEFAULT_PORT}; 0 takes any free one
  --help     shows this text`;

function readPort(text: string | undefined): number | undefined {
	if (text === undefined) return DEFAULT_PORT;
	const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
	return port >= 0 && port <= 65_535 ? port : undefined;
}

function welcome({ baseUrl, url, apiKey }: SandboxHandle): string {
	const longAgo = SEED.completedLongAgo.slice(0, 5).join(', ');
	return `Sandbox of the Workflow Instance Service

  Base URL   ${baseUrl}
  API Key    ${apiKey}   (of this sandbox only)

  Instances  ${SEED.all[0]} to ${SEED.all.at(-1)}, among them
             ${SEED.running}  running
             ${SEED.fullyFilled}  running, all fields filled in
             ${SEED.autoNamed}  named by its process
             ${SEED.overdue}  overdue
             ${SEED.completed}  completed lately
             ${SEED.aborted}  aborted
             completed more than 30 days ago: ${longAgo}, …

  Try        curl -H 'Authorization: Api-Key ${apiKey}' ${baseUrl}/instances/${SEED.running}/
  Control    ${url}/control

Stop with Ctrl+C.`;
}

const isPortTaken = (cause: unknown): boolean =>
	cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';

function readArguments(): { port?: string | undefined; help?: boolean | undefined } | undefined {
	try {
		return parseArgs({
			options: { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
		}).values;
	} catch {
		return undefined;
	}
}

function leave(text: string): void {
	console.error(text);
	process.exitCode = 1;
}

async function start(port: number): Promise<void> {
	try {
		const sandbox = await createSandbox({ port });
		const stop = () => void sandbox.close();
		process.once('SIGINT', stop);
		process.once('SIGTERM', stop);
		console.log(welcome(sandbox));
	} catch (cause) {
		if (!isPortTaken(cause)) throw cause;
		leave(`Port ${port} is in use. Stop what uses it, or choose another one with --port N.`);
	}
}

async function main(): Promise<void> {
	const values = readArguments();
	if (values?.help) return console.log(USAGE);
	const port = values && readPort(values.port);
	if (port === undefined) return leave(`That cannot be read.\n\n${USAGE}`);
	await start(port);
}

void main();
