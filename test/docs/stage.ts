import { messageOf } from '../../sandbox/guards';

/** Runs a command; what it throws is shown, and makes the command fail. */
export function run(main: () => Promise<void>): void {
	main().catch((error: unknown) => {
		process.stderr.write(`${messageOf(error)}\n`);
		process.exitCode = 1;
	});
}
