import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives all workers one temporary folder; n8n-core writes its settings file there. */
export default function globalSetup(): void {
	process.env.HARNESS_FOLDER ??= mkdtempSync(join(tmpdir(), 'workflow-instance-service-'));
}
