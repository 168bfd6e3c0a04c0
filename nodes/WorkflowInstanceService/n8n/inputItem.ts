import type { IExecuteFunctions, ProxyInput } from 'n8n-workflow';

/** An input item, and what n8n's expressions find out from there. */
export interface InputItem {
	/** Its `$json`; undefined if only n8n knows it. */
	readonly json: unknown;
	/** The `json` of an item, e.g. at `$json` or `$('Rows').first().json`; undefined if n8n finds none. */
	jsonAt(root: string): unknown;
	/** The value of an expression, e.g. `{{ $json.id }}`; undefined if n8n can't evaluate it. */
	evaluate(expression: string): unknown;
}

/** The item of a tool's call, or of a trigger. */
export const UNKNOWN_ITEM: InputItem = {
	json: undefined,
	jsonAt: () => undefined,
	evaluate: () => undefined,
};

type NodeItems = Pick<ProxyInput, 'first' | 'item' | 'last'>;

/** What n8n gives to expressions. */
interface DataProxy {
	$input: NodeItems;
	$node: Record<string, { json: unknown }>;
	$(node: string): NodeItems;
}

/** Finds an item without evaluating an expression. Throws what n8n throws. */
function itemIn(proxy: DataProxy, root: string): { json: unknown } | undefined {
	const [, quoted] = /^\$(?:node)?[\s([]*["'`](.*)["'`]/s.exec(root) ?? [];
	const node = quoted?.replace(/\\(.)/gs, '$1');
	if (node !== undefined && root.startsWith('$node')) return proxy.$node[node];
	const items = node === undefined ? proxy.$input : proxy.$(node);
	if (/first\(\)\s*\.\s*json$/.test(root)) return items.first();
	return /last\(\)\s*\.\s*json$/.test(root) ? items.last() : items.item;
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
	const unlessItThrows = <T>(read: () => T): T | undefined => {
		try {
			return read();
		} catch {
			return undefined;
		}
	};
	return (itemIndex) => ({
		get json() {
			return jsonOf(itemIndex);
		},
		jsonAt: (root) =>
			unlessItThrows(() => {
				const own = root === '$json' ? jsonOf(itemIndex) : undefined;
				return own ?? itemIn(context.getWorkflowDataProxy(itemIndex), root)?.json;
			}),
		evaluate: (expression) =>
			unlessItThrows<unknown>(() => context.evaluateExpression(expression, itemIndex)),
	});
}
