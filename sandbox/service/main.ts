import '../endWithParent';

import { CommandFailed, runCommand } from './command';

async function main(): Promise<void> {
	const { text, sandbox } = await runCommand(process.argv.slice(2));
	if (sandbox) {
		const stop = () => void sandbox.close();
		process.once('SIGINT', stop).once('SIGTERM', stop);
	}
	console.log(text);
}

main().catch((cause: unknown) => {
	console.error(cause instanceof CommandFailed ? cause.message : cause);
	process.exitCode = 1;
});
