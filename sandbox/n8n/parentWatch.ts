// Preloaded into every Node.js process that the sandbox starts. Such a process leads a process group
// of its own and so survives the death of its parent; here it notices that and takes its group along.
const parentAtStart: number = process.ppid;
const checkEveryMs = 1_000;
const graceMs = 5_000;

function signalGroup(signal: NodeJS.Signals): void {
	// Process id 0 stands for the caller's own process group, where the system has such groups.
	process.kill(process.platform === 'win32' ? process.pid : 0, signal);
}

const timer = setInterval(() => {
	if (process.ppid === parentAtStart) return;
	clearInterval(timer);
	setTimeout(() => signalGroup('SIGKILL'), graceMs);
	signalGroup('SIGTERM');
}, checkEveryMs);

timer.unref();
