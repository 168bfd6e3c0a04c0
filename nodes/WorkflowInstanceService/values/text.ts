const LONGEST_QUOTE = 80;

/** A text as messages show it, cut after `longest` characters. */
export function shortened(text: string, longest = LONGEST_QUOTE): string {
	const isCut = text.length > longest;
	const shown = isCut ? `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…` : text;
	// A copy, since part of a text would keep all of it in memory.
	return Buffer.from(shown).toString();
}

/** A value that is not empty, as a message shows it: `"abc"`, `1.5`, `a list`. */
export function describeValue(value: unknown): string {
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	if (typeof value !== 'string') return shortened(String(value));
	// Quotation marks of the value itself stay as they are; line breaks do not.
	const quote = JSON.stringify(value.trim()).replaceAll('\\"', '"');
	return shortened(quote.replace(/^"(".*")"$/, '$1'));
}

/** From the first to the last visible character: pasted text has invisible ones at its ends. Some of them end a flag. */
const VISIBLE = /[^\s\p{Cf}](?:.*[^\s\p{Cf}])?[\u{e0020}-\u{e007f}]*/su;

/** A text without blanks and invisible characters (Unicode class Cf) at its ends. */
export function trimmed(text: string): string {
	return VISIBLE.exec(text)?.[0] ?? '';
}

/** Whether a value is text, or a number or switch that can be written as text. */
export function isPrintable(value: unknown): value is string | number | boolean {
	return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Whether a value is null, absent, blank text, or a list of only such values. */
export function isEmpty(value: unknown): boolean {
	if (typeof value === 'string') return trimmed(value) === '';
	return value === undefined || value === null || (Array.isArray(value) && value.every(isEmpty));
}

/** IDs as messages list them, up to `most`, e.g. `1, 2 and 3 more`. */
export function listIds(ids: readonly number[], most: number): string {
	const more = ids.length > most ? ` and ${ids.length - most} more` : '';
	return `${ids.slice(0, most).join(', ')}${more}`;
}

/** What messages call these instances. */
export function subjectOf(ids: readonly number[]): string {
	return ids.length === 1 ? `instance ${ids[0]}` : `${ids.length} instances`;
}
