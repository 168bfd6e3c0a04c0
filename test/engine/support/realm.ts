import { types } from 'node:util';

interface LuxonTransfer {
	unwrapLuxonValues(value: unknown): unknown;
}

function isPlainObject(value: object): boolean {
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function intoThisRealm(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(intoThisRealm);
	if (types.isDate(value)) return new Date(value.getTime());
	if (typeof value !== 'object' || value === null || !isPlainObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [key, intoThisRealm(entry)]),
	);
}

/**
 * Lets dates leave the expressions of n8n's vm engine as they do in production. jest gives each test
 * file a JavaScript realm of its own, but what comes out of an isolate belongs to Node's, where no
 * object is `instanceof Date` and n8n does not recognise the Luxon values that it has to rebuild.
 */
export function useDatesOfExpressions(): void {
	const transfer = jest.requireActual<LuxonTransfer>(
		'@n8n/expression-runtime/dist/cjs/runtime/luxon-transfer.js',
	);
	const { unwrapLuxonValues } = transfer;
	beforeAll(() => {
		transfer.unwrapLuxonValues = (value) => unwrapLuxonValues(intoThisRealm(value));
	});
	afterAll(() => {
		transfer.unwrapLuxonValues = unwrapLuxonValues;
	});
}
