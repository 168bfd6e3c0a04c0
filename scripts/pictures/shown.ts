import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { isRecord } from '../../sandbox/guards';
import { forms } from '../parametersPage';
import { SCENES } from './scenes';

/** Says of each picture what it was taken of: a hash of the texts in the form, and messages. */
const FILE = resolve(__dirname, '../../docs/pictures/shown.json');

type Shown = Record<string, { form: string; messages?: string[] }>;

/** What the pictures show, as they were taken. */
export const readShown = (): Shown => JSON.parse(readFileSync(FILE, 'utf8'));

/** Takes down what a picture shows. */
export function writeShown(name: string, messages: string[] | undefined): void {
	const shown = { ...readShown(), [name]: { form: formShown(name), messages } };
	const sorted = Object.fromEntries(Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1)));
	writeFileSync(FILE, `${JSON.stringify(sorted, undefined, '\t')}\n`);
}

/** A hash of the texts that a picture shows of its form as it is today. */
export function formShown(name: string): string {
	const { form = '', fields = {} } = SCENES[name] ?? {};
	const texts = (forms()[form] ?? []).flatMap((field) => {
		const added = fields[field.name];
		const parts: unknown[] = isRecord(added) ? (field.options ?? []) : [];
		const isAdded = (part: unknown) =>
			isRecord(added) && isRecord(part) && String(part.name) in added;
		return [field, ...parts.filter(isAdded)].map((part) =>
			isRecord(part) ? [part.displayName, part.hint, part.placeholder] : [],
		);
	});
	return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
}
