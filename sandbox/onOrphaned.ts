const CHECK_EVERY_MS = 1_000;

/**
 * Calls `then` once the process that started this one has ended. npm starts a script in a shell, and
 * a shell such as dash ends on SIGTERM without passing it on. No event says so: only the parent's ID
 * changes.
 */
export function onOrphaned(then: () => void): void {
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		then();
	}, CHECK_EVERY_MS);
	timer.unref();
}
