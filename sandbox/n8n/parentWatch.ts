// Preloaded into every Node.js process that the sandbox starts. Each leads its own process group and
// so survives its parent. This notices when the parent is gone, and ends the group.
const parentAtStart: number = process.ppid;
const checkEveryMs = 1_000;
const graceMs = 5_000;

function signalGroup(signal: NodeJS.Signals): void {
	// Process ID 0 is the caller's own process group, on systems that have groups.
	process.kill(process.platform === 'win32' ? process.pid : 0, signal);
}

const timer = setInterval(() => {
	if (process.ppid === parentAtStart) return;
	clearInterval(timer);
	setTimeout(() => signalGroup('SIGKILL'), graceMs);
	signalGroup('SIGTERM');
}, checkEveryMs);

timer.unref();
