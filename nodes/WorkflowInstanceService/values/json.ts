/**
 * The JSON value of a text, or undefined when it is not JSON. A `__proto__` key is left out, since
 * copying it further on would set a prototype instead of a field.
 */
export function parseJson(text: string): unknown {
	const reviver = text.includes('__proto__')
		? (key: string, value: unknown) => (key === '__proto__' ? undefined : value)
		: undefined;
	try {
		return JSON.parse(text, reviver);
	} catch {
		return undefined;
	}
}
