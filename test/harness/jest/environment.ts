// Runs before any test file, because n8n-core reads all of this when it is first required.
import 'reflect-metadata';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = process.env.HARNESS_FOLDER ?? tmpdir();

process.env.N8N_USER_FOLDER = join(folder, `worker-${process.env.JEST_WORKER_ID ?? '0'}`);
process.env.N8N_ENCRYPTION_KEY = 'key-of-the-test-harness';
process.env.N8N_LOG_LEVEL = 'silent';

// A proxy of the machine would see the requests before the sandbox does.
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
	Reflect.deleteProperty(process.env, name);
	Reflect.deleteProperty(process.env, name.toLowerCase());
}
