import { inspect } from 'node:util';

/** All spellings of an API key in which it must not be found. */
export function spellingsOf(key: string): string[] {
	const whole = `Api-Key ${key}`;
	const encoded = [key, whole].flatMap((text) => [
		Buffer.from(text).toString('base64').replace(/=+$/, ''),
		Buffer.from(text).toString('base64url'),
		// What is not well formed cannot be in a URL.
		encodeURIComponent(Buffer.from(text).toString()),
	]);
	return [...new Set([key, ...encoded, JSON.stringify(key).slice(1, -1)])];
}

function childrenOf(value: object): Array<[name: string, child: unknown]> {
	if (Buffer.isBuffer(value)) return [['as text', value.toString()]];
	const own = Reflect.ownKeys(value).map((name): [string, unknown] => [
		String(name),
		// Getters may throw.
		Object.getOwnPropertyDescriptor(value, name)?.value,
	]);
	const names = own.map(([name]): [string, unknown] => [`key ${name}`, name]);
	if (value instanceof Map) return [...own, ['entries', [...value.entries()]]];
	if (value instanceof Set) return [...own, ['values', [...value.values()]]];
	return [...own, ...names];
}

/** What people and logs may see of a value: its JSON, and how Node.js prints it. */
function printed(value: unknown): [json: string, print: string] {
	const seen = new WeakSet();
	const json = JSON.stringify(value, (_key, child: unknown) => {
		if (typeof child !== 'object' || child === null) return child;
		if (seen.has(child)) return undefined;
		seen.add(child);
		return child;
	});
	const print = { depth: null, showHidden: true, maxArrayLength: null, maxStringLength: null };
	return [json ?? '', inspect(value, print)];
}

/** Everything that hangs on a value, with the way to it. */
function* partsOf(root: unknown): Generator<[path: string, value: unknown]> {
	const seen = new Set<unknown>();
	const pending: Array<[path: string, value: unknown]> = [['', root]];
	for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
		const [path, value] = next;
		yield next;
		if (!isComposite(value) || seen.has(value)) continue;
		seen.add(value);
		for (const [name, child] of childrenOf(value)) pending.push([`${path}.${name}`, child]);
	}
}

function isComposite(value: unknown): value is object {
	return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/**
 * Where an API key is found in a value and everything that hangs on it, hidden properties, causes
 * and stacks included, in any spelling and in capital or small letters. Empty when nowhere.
 */
export function leaks(root: unknown, key: string): string[] {
	const spellings = spellingsOf(key).map((spelling) => spelling.toLowerCase());
	const holds = (text: unknown) => {
		const lower = typeof text === 'string' ? text.toLowerCase() : '';
		return spellings.some((spelling) => lower.includes(spelling));
	};
	const found = [...partsOf(root)].filter(([, value]) => holds(value)).map(([path]) => path);
	const [json, print] = printed(root);
	return [...found, ...(holds(json) ? ['as JSON'] : []), ...(holds(print) ? ['as printed'] : [])];
}
