// For processes that npm or the sandbox starts: ends this one, as SIGTERM does, when its parent is gone
// without having stopped it. No event says so: only the parent's ID changes.
const parent: number = process.ppid;
const checkEveryMs = 1_000;

const timer = setInterval(() => {
	if (process.ppid === parent) return;
	clearInterval(timer);
	process.kill(process.pid, 'SIGTERM');
}, checkEveryMs);

timer.unref();
