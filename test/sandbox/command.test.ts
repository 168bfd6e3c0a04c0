import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { SEED } from '../../sandbox/service';
import { runCommand } from '../../sandbox/service/command';

test('npm run sandbox starts a sandbox, whose instances it completes and aborts', async () => {
	const { text, sandbox } = await runCommand(['--port', '0']);
	const port = String(sandbox?.port);
	const instance = () => sandbox?.control.instance(SEED.running);
	expect(text).toContain(`Base URL   http://127.0.0.1:${port}/api`);
	const completed = await runCommand(['complete', String(SEED.running), '--port', port]);
	expect(completed).toEqual({ text: `Instance ${SEED.running} is completed.` });
	expect(instance()).toMatchObject({ completed_time: expect.any(String), aborted_time: null });
	await runCommand(['--port', port, 'abort', String(SEED.running)]);
	expect(instance()).toMatchObject({ completed_time: null, aborted_time: expect.any(String) });
	await expect(runCommand(['abort', '999999', '--port', port])).rejects.toThrow(
		`The sandbox on port ${port} has no instance 999999.`,
	);
	await expect(runCommand(['--port', port])).rejects.toThrow(`Port ${port} is in use.`);
	await sandbox?.close();
	const late = runCommand(['complete', '101', '--port', port]);
	await expect(late).rejects.toThrow(`No sandbox is running on port ${port}. Start one`);
});

test('The sandbox stops cleanly on a signal', async () => {
	const args = ['--import', 'tsx', 'sandbox/service/main.ts', '--port', '0'];
	const child = spawn(process.execPath, args, { cwd: join(__dirname, '..', '..') });
	await once(child.stdout, 'data');
	child.kill('SIGTERM');
	expect(await once(child, 'close')).toEqual([0, null]);
});
