import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { SEED } from '../../sandbox/service';
import { runCommand } from '../../sandbox/service/command';

test('npm run sandbox starts a sandbox, whose instances it advances, completes, aborts and reopens', async () => {
	const { text, sandbox } = await runCommand(['--port', '0']);
	const port = String(sandbox?.port);
	const run = async (...args: string[]) => (await runCommand([...args, '--port', port])).text;
	const instance = () => sandbox?.control.instance(SEED.fullyFilled);
	const id = String(SEED.fullyFilled);
	const before = instance();
	expect(text).toContain(`Base URL   http://127.0.0.1:${port}/api`);
	expect(text).toContain('101 to 148, including');
	expect(text).toContain('108, 110, 113, 118, 121  completed more than 30 days ago');
	for (const stage of ['Approval', 'Payment', 'Completed', 'Completed']) {
		expect(await run('advance', id)).toBe(`Instance ${id} is now in the stage ${stage}.`);
	}
	expect(instance()).toMatchObject({ completed_time: expect.any(String), active_step_ids: [] });
	expect(await run('reopen', id)).toContain('Payment');
	expect(instance()).toMatchObject({ completed_time: null, active_step_ids: [1204] });
	expect(await run('complete', id)).toContain('Completed');
	expect(await run('abort', id)).toContain('Aborted');
	expect(instance()).toMatchObject({ completed_time: null, aborted_time: expect.any(String) });
	expect(await run('reset')).toBe('The sandbox was reset.');
	expect(instance()).toEqual(before);
	await expect(run('abort', '9')).rejects.toThrow(`The sandbox on port ${port} has no instance 9.`);
	await expect(run('abort', 'a')).rejects.toThrow('Add the ID of an instance, a number, to abort');
	await expect(runCommand(['--port', 'abc'])).rejects.toThrow('--port has to be a number.');
	await expect(run()).rejects.toThrow(`Port ${port} is in use.`);
	await sandbox?.close();
	await expect(run('complete', '101')).rejects.toThrow(`No sandbox is running on port ${port}.`);
});

test('Another server on the port is not a sandbox, even if it responds with JSON', async () => {
	const server = createServer((_request, response) => {
		response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not found."}');
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	try {
		const address = server.address();
		const port = typeof address === 'object' ? String(address?.port) : '';
		const reset = runCommand(['reset', '--port', port]);
		await expect(reset).rejects.toThrow(`No sandbox is running on port ${port}.`);
	} finally {
		server.close();
	}
});

test('The sandbox stops cleanly on a signal', async () => {
	const args = ['--import', 'tsx', 'sandbox/service/main.ts', '--port', '0'];
	const child = spawn(process.execPath, args, { cwd: join(__dirname, '..', '..') });
	await once(child.stdout, 'data');
	child.kill('SIGTERM');
	expect(await once(child, 'close')).toEqual([0, null]);
});
