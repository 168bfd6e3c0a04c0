// For processes that npm or the sandbox starts: ends this one, usually by SIGTERM, if its parent ends without
// stopping it. No event reports that; only the parent's ID changes. This file has no types, since npm may run
// it on a Node.js that doesn't support them.
const parent = process.ppid;
const checkEveryMs = 1_000;

const timer = setInterval(() => {
	if (process.ppid === parent) return;
	clearInterval(timer);
	process.kill(process.pid, process.env.END_WITH_PARENT_BY ?? 'SIGTERM');
}, checkEveryMs);

timer.unref();
