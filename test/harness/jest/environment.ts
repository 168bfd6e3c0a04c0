// Runs before any test file, because n8n-core reads all of this when it's first required.
import 'reflect-metadata';
import { resolve } from 'node:path';

const folder = resolve(__dirname, '../../../node_modules/.cache/n8n');

process.env.N8N_USER_FOLDER = resolve(folder, `worker-${process.env.JEST_WORKER_ID}`);
process.env.N8N_ENCRYPTION_KEY = 'key-of-the-test-harness';
process.env.N8N_LOG_LEVEL = 'silent';

// Otherwise, the machine's proxy would get the requests before the sandbox does.
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
	Reflect.deleteProperty(process.env, name);
	Reflect.deleteProperty(process.env, name.toLowerCase());
}
