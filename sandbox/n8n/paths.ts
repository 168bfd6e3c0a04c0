import { join, resolve } from 'node:path';

export const rootFolder = resolve(__dirname, '../..');

const version = process.env.SANDBOX_N8N_VERSION ?? 'newest';

/**
 * The folder with the package.json and lock file of the real n8n: by default the one that the project is
 * developed with; with SANDBOX_N8N_VERSION=oldest, the oldest one that is supported.
 */
export const n8nFolder = version === 'newest' ? __dirname : join(__dirname, version);
