import type { IExecuteFunctions, ProxyInput } from 'n8n-workflow';

/** An input item, and what n8n's expressions find out from there. */
export interface InputItem {
	/** Its `$json`; undefined if only n8n knows it. */
	readonly json: unknown;
	/**
	 * The `json` of an item, e.g. at `$json` or `$('Rows').first().json`, or a list of those of all items of an output,
	 * e.g. at `$('Rows').all()`; undefined if n8n finds none.
	 */
	jsonAt(root: string): unknown;
	/** The value of an expression, e.g. `{{ $json.id }}`; undefined if n8n can't evaluate it. */
	evaluate(expression: string): unknown;
}

const nothing = () => undefined;

/** The item of a tool's call, or of a trigger. */
export const UNKNOWN_ITEM: InputItem = { json: undefined, jsonAt: nothing, evaluate: nothing };

interface NodeItems extends Pick<ProxyInput, 'first' | 'item' | 'last'> {
	all(output?: number): Array<{ json: unknown }>;
}

/** What n8n gives to expressions. */
interface DataProxy {
	$input: NodeItems;
	$node: Record<string, { json: unknown }>;
	$(node: string): NodeItems;
}

const LIST = /\.all\((\d*)\)$/;

function oneOf(items: NodeItems, root: string): { json: unknown } | undefined {
	if (/first\(\)\s*\??\.\s*json$/.test(root)) return items.first();
	return /last\(\)\s*\??\.\s*json$/.test(root) ? items.last() : items.item;
}

/** Finds what is at a root without evaluating an expression. Throws what n8n throws. */
function jsonIn(proxy: DataProxy, root: string): unknown {
	const [, quoted] = /^\$(?:node)?[\s([]*["'`](.*)["'`]/s.exec(root) ?? [];
	const node = String(quoted).replace(/\\(.)/gs, '$1');
	if (root.startsWith('$node')) return proxy.$node[node]?.json;
	const items = quoted === undefined ? proxy.$input : proxy.$(node);
	const [, output] = LIST.exec(root) ?? [];
	if (output === undefined) return oneOf(items, root)?.json;
	return items.all(output === '' ? undefined : Number(output)).map(({ json }) => json);
}

function unlessItThrows<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}

/** Returns a function that finds an input item by its index. */
export function inputItemReader(context: IExecuteFunctions): (itemIndex: number) => InputItem {
	const inputs: unknown[] = context.getInputData().map(({ json }) => json);
	let areInputs: boolean | undefined;
	const jsonOf = (itemIndex: number) => {
		// n8n's own way costs ten times as much, so this checks only once whether expressions see these items.
		areInputs ??= context.getWorkflowDataProxy(itemIndex).$json === inputs[itemIndex];
		return areInputs ? inputs[itemIndex] : undefined;
	};
	return (itemIndex) => {
		const found = new Map<string, unknown>();
		const find = (root: string) => {
			const own = root === '$json' ? jsonOf(itemIndex) : undefined;
			return own ?? unlessItThrows(() => jsonIn(context.getWorkflowDataProxy(itemIndex), root));
		};
		return {
			get json() {
				return jsonOf(itemIndex);
			},
			jsonAt(root) {
				if (!found.has(root)) found.set(root, find(root));
				return found.get(root);
			},
			evaluate: (expression) =>
				unlessItThrows<unknown>(() => context.evaluateExpression(expression, itemIndex)),
		};
	};
}
