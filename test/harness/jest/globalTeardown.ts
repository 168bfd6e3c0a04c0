import { rmSync } from 'node:fs';

export default function globalTeardown(): void {
	const folder = process.env.HARNESS_FOLDER;
	if (folder === undefined) return;
	rmSync(folder, { recursive: true, force: true });
	delete process.env.HARNESS_FOLDER;
}
