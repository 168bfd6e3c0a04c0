import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createSandbox } from '../../sandbox/service';

const ROOT = join(__dirname, '..', '..');

interface Running {
	output: () => string;
	exitCode: Promise<number | null>;
	stop: (signal: NodeJS.Signals) => void;
}

function run(...parameters: string[]): Running {
	const child = spawn(
		process.execPath,
		['--import', 'tsx', 'sandbox/service/main.ts', ...parameters],
		{ cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
	);
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
	return {
		output: () => output,
		exitCode: once(child, 'close').then(() => child.exitCode),
		stop: (signal) => child.kill(signal),
	};
}

async function untilOutput(running: Running, text: string): Promise<void> {
	while (!running.output().includes(text)) {
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

describe('the command', () => {
	it.each(['SIGINT', 'SIGTERM'] as const)(
		'says how to reach the sandbox, and stops cleanly on %s',
		async (signal) => {
			const running = run('--port', '0');
			await untilOutput(running, 'Stop with Ctrl+C.');
			const output = running.output();
			const baseUrl = /Base URL +(\S+)/.exec(output)?.[1] ?? '';
			const key = /API Key +(\S+)/.exec(output)?.[1] ?? '';

			expect(output).toMatch(new RegExp(`curl -H 'Authorization: Api-Key ${key}' ${baseUrl}/inst`));
			const response = await fetch(`${baseUrl}/instances/101/`, {
				headers: { authorization: `Api-Key ${key}` },
			});
			expect(response.status).toBe(200);
			running.stop(signal);
			expect(await running.exitCode).toBe(0);
		},
	);

	it('says when the port is in use', async () => {
		const sandbox = await createSandbox();
		const running = run('--port', String(sandbox.port));
		expect(await running.exitCode).toBe(1);
		expect(running.output()).toBe(
			`Port ${sandbox.port} is in use. Stop what uses it, or choose another one with --port N.\n`,
		);
		await sandbox.close();
	});

	it.each([['--port', '70000'], ['--unknown']])('shows its usage for %s', async (...parameters) => {
		const running = run(...parameters);
		expect(await running.exitCode).toBe(1);
		expect(running.output()).toContain('Usage: ');
	});
});
