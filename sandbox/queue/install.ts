import { installDebianPackages } from '../debian';
import { messageOf } from '../guards';
import { findQueuePrograms, missingPackages } from './programs';

try {
	const packages = missingPackages();
	if (packages.length > 0) installDebianPackages(...packages);
	const { redis, postgres } = findQueuePrograms();
	process.stdout.write(`${redis}\n${postgres}\n`);
} catch (error) {
	process.stderr.write(`${messageOf(error)}\n`);
	process.exitCode = 1;
}
