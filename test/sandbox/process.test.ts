import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';

import getPort from 'get-port';

test('A command ends when the process that runs it is killed', async () => {
	const port = await getPort();
	const server = createServer().listen(port, '127.0.0.1');
	// It lives as long as this request, which never gets a response.
	const args = JSON.stringify(['--eval', `fetch('http://127.0.0.1:${port}')`]);
	const script = `require('./sandbox/process').run('It', 'node', ${args}, { cwd: '.' })`;
	const cwd = join(__dirname, '../..');
	const runner = spawn(process.execPath, ['--import', 'tsx', '--eval', script], { cwd });
	const [request] = await once(server, 'request');
	runner.kill('SIGKILL');
	await once(request.socket, 'close');
	server.close();
});
