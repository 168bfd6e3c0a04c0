import '../endWithParent';

import { messageOf } from '../guards';
import { runCommand } from './command';

runCommand(process.argv.slice(2)).then(
	({ text, sandbox }) => {
		const stop = () => void sandbox?.close();
		if (sandbox) process.once('SIGINT', stop).once('SIGTERM', stop);
		console.log(text);
	},
	(error: unknown) => {
		console.error(messageOf(error));
		process.exitCode = 1;
	},
);
