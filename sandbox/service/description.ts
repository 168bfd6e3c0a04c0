import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from 'openapi-backend';
import { parse } from 'yaml';
import { isRecord } from '../guards';

/** Where the description of the service lies. */
export const DESCRIPTION_PATH = join(__dirname, '..', 'openapi.yaml');

/** An object of the description whose keys are not known beforehand. */
export type Node = Record<string, unknown>;

function isDocument(value: unknown): value is Document {
	return isRecord(value) && typeof value.openapi === 'string' && isRecord(value.paths);
}

/**
 * Reads `openapi.yaml`.
 *
 * @throws Error when the file is not an OpenAPI description
 */
export function readDescription(): Document {
	const description: unknown = parse(readFileSync(DESCRIPTION_PATH, 'utf8'));
	if (!isDocument(description)) throw new Error(`${DESCRIPTION_PATH} is no OpenAPI description`);
	return description;
}

/** Gives the node that a `$ref` points to, or the node itself when it is none. */
export function resolveReference(description: Document, value: unknown): Node {
	const node = isRecord(value) ? value : {};
	if (typeof node.$ref !== 'string') return node;
	const target = node.$ref
		.replace('#/', '')
		.split('/')
		.reduce<unknown>((parent, key) => (isRecord(parent) ? parent[key] : undefined), description);
	return resolveReference(description, target);
}
