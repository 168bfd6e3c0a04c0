import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Concealer } from '../service/secret';
import { Trouble } from '../values/trouble';

/** Trouble as it is; anything else thrown with the words it came with. */
export function asTrouble(cause: unknown): Trouble {
	if (cause instanceof Trouble) return cause;
	return new Trouble(
		String(cause).replace(/^\w*Error: /, ''),
		'Check the parameters of this node and the credential.',
	);
}

/** The same trouble without the API key. */
export function concealed(trouble: Trouble, { text, json }: Concealer): Trouble {
	const { message, advice, facts } = trouble;
	const details = json(facts.details ?? {});
	return new Trouble(text(message), text(advice), { ...facts, details });
}

/** What comes of work that may end in trouble, so that the rest can go on. */
export async function settle<T>(work: Promise<T>): Promise<T | Trouble> {
	return work.catch((cause: unknown) => {
		if (cause instanceof Trouble) return cause;
		throw cause;
	});
}

/** The pairing of an output item with the input items that it came from, by their index. */
export function pairedTo(items: number[]): INodeExecutionData['pairedItem'] {
	const pairs = items.map((item) => ({ item }));
	return pairs.length === 1 ? pairs[0] : pairs;
}

/**
 * The item that stands for trouble on the error output. Without an `error` property beside `json`,
 * so that n8n moves it there, keeps its pairing and adds the fields of the input item (ENGINE, 6).
 *
 * @param items the indexes of the input items that it is about
 */
export function errorItem(trouble: Trouble, items: number[]): INodeExecutionData {
	const { message, advice, facts } = trouble;
	const { httpCode, details } = facts;
	const [item] = items;
	return {
		json: {
			error: `${message} [item ${item}]`,
			details: { description: advice, item, ...(httpCode && { httpCode }), ...details },
		},
		pairedItem: pairedTo(items),
	};
}

/**
 * Marks an error item for n8n before 2.36, which moves an item with `details` to the error output only
 * when it has an `error` beside its json. It must not be enumerable: n8n looks at it, but does not
 * copy it, and so leaves the json alone.
 */
export function markedForErrorOutput(item: INodeExecutionData): INodeExecutionData {
	return Object.defineProperty(item, 'error', { value: { message: item.json.error } });
}

/** The same trouble as the node shows it; the editor itself adds the item (ENGINE, 7). */
export function nodeError(
	context: IExecutePaginationFunctions,
	{ message, advice, facts: { httpCode, details } }: Trouble,
): NodeApiError {
	const itemIndex = context.getItemIndex();
	const description = `${advice} (item ${itemIndex})`;
	const error = new NodeApiError(context.getNode(), {}, { message, description, itemIndex });
	// n8n exchanges a message in which it finds a word like ECONNRESET; these are the service's words.
	error.message = message;
	error.httpCode = httpCode ?? null;
	Object.assign(error.context, details);
	return error;
}
