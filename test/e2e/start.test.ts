import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { ensureN8n } from '../../sandbox/n8n/install';

test('npm start leaves nothing on its ports when npm alone is ended', async () => {
	await ensureN8n();
	const cwd = join(__dirname, '../..');
	const npm = spawn('npm', ['start'], { cwd });
	let output = '';
	npm.stdout.on('data', (data: Buffer) => {
		if (/Ctrl-C/.test((output += data.toString()))) npm.kill('SIGTERM');
	});
	// It closes when the last process that may write to it has ended.
	await Promise.all([once(npm.stdout, 'close'), text(npm.stderr)]);
	const ports = [...output.matchAll(/(?:service|n8n) \(port (\d+)/g)].map(([, port]) => port);
	expect(ports).toHaveLength(2);
	for (const port of ports) {
		await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
	}
	expect(output).toContain('Stopping');
});
