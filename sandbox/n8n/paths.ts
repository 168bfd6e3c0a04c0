import { join, resolve } from 'node:path';

/** The project's root folder. */
export const rootFolder = resolve(__dirname, '../..');

/**
 * The folder with the package.json and lock file of the real n8n: by default the one that the project
 * develops with, with N8N_VERSION=oldest the oldest one that is supported.
 */
export const n8nFolder = n8nFolderOf(process.env.N8N_VERSION);

function n8nFolderOf(version = 'newest'): string {
	if (version === 'newest') return __dirname;
	if (version === 'oldest') return join(__dirname, 'oldest');
	throw new Error(`N8N_VERSION cannot be '${version}'. Set it to newest or oldest.`);
}
