import { installDebianPackages } from '../debian';
import { messageOf } from '../guards';
import { findQueuePrograms, QUEUE_PACKAGES } from './programs';
import type { QueuePrograms } from './programs';

function havePrograms(): QueuePrograms {
	try {
		return findQueuePrograms();
	} catch {
		installDebianPackages(...QUEUE_PACKAGES);
		return findQueuePrograms();
	}
}

try {
	const { redis, postgres } = havePrograms();
	process.stdout.write(`${redis}\n${postgres}\n`);
} catch (error) {
	process.stderr.write(`${messageOf(error)}\n`);
	process.exitCode = 1;
}
