import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../n8n/ports';
import { startProgram } from './program';

/** A running server, and what n8n needs to find it. */
export interface QueueServer {
	/** Variables of n8n's environment. */
	env: Record<string, string>;
	/** Stops it and removes its data. */
	stop(): Promise<void>;
}

/**
 * Starts a Redis of its own on a free port of 127.0.0.1, with a random password and nothing kept on
 * disk.
 *
 * @param command the path of redis-server
 * @throws when it does not start
 */
export async function startRedis(command: string): Promise<QueueServer> {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-redis-'));
	const port = await freePort();
	const password = randomBytes(12).toString('hex');
	const config = join(folder, 'redis.conf');
	// A file, because every user of the machine can read the arguments of a program.
	const lines = [`port ${port}`, 'bind 127.0.0.1', 'save ""', `requirepass ${password}`];
	writeFileSync(config, lines.join('\n'), { mode: 0o600 });
	const redis = await startProgram(
		{ command, args: [config], folder, stopSignal: 'SIGTERM' },
		/ready to accept connections/i,
	);
	return {
		env: {
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(port),
			QUEUE_BULL_REDIS_PASSWORD: password,
		},
		async stop() {
			await redis.stop();
		},
	};
}
