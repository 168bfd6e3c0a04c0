import type { IExecuteFunctions, ProxyInput } from 'n8n-workflow';

/** An input item, and the data of other nodes that its expressions can use. */
export interface InputItem {
	/** Its `$json`, or that of the item in another node that led to it; undefined if only n8n knows it, or can't find it. */
	json(node?: string): unknown;
	/** The `json` of the first item in another node's output; undefined if it has no output. */
	firstOf(node: string): unknown;
	/** The value of an expression, e.g. `{{ $json.id }}`; undefined if n8n can't evaluate it. */
	evaluate(expression: string): unknown;
}

/** What n8n gives to expressions. */
interface DataProxy {
	$(node: string): ProxyInput;
}

const nothing = () => undefined;

/** The item of a tool's call, or of a trigger. */
export const UNKNOWN_ITEM: InputItem = {
	json: nothing,
	firstOf: nothing,
	evaluate: nothing,
};

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
	const itemsOf = (itemIndex: number, node: string) => {
		const proxy: DataProxy = context.getWorkflowDataProxy(itemIndex);
		return proxy.$(node);
	};
	return (itemIndex) => ({
		json(node) {
			if (node !== undefined)
				return unlessItThrows<unknown>(() => itemsOf(itemIndex, node).item?.json);
			// n8n's own way costs ten times as much, so this checks only once whether expressions see these items.
			areInputs ??= context.getWorkflowDataProxy(itemIndex).$json === inputs[itemIndex];
			return areInputs ? inputs[itemIndex] : undefined;
		},
		firstOf: (node) => unlessItThrows<unknown>(() => itemsOf(itemIndex, node).first()?.json),
		evaluate: (expression) =>
			unlessItThrows<unknown>(() => context.evaluateExpression(expression, itemIndex)),
	});
}
