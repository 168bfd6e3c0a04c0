import type { BenchStack, Measurement } from './stack';
import { deleteFromField, getParameters, ourNode } from './workflows';

/** What a run over a number of items takes. */
export interface Size extends Measurement {
	name: string;
	items: number;
	requests: number;
}

const OPERATIONS = [
	{
		name: 'Get, ID from an expression',
		node: ourNode({ ...getParameters(), output: 'simplified' }),
	},
	{ name: 'Bulk Delete, IDs from a field', node: ourNode(deleteFromField) },
];

/** So that what n8n loads for its first run is not counted. */
const WARM_UP_ITEMS = 10;

/**
 * Runs each operation once with each number of items, in an n8n that has just started.
 *
 * @param say called with a line for each run
 */
export async function measureSizes(
	stack: Pick<BenchStack, 'service' | 'run' | 'restart'>,
	counts: number[],
	say: (text: string) => void,
): Promise<Size[]> {
	const sizes: Size[] = [];
	for (const { name, node } of OPERATIONS) {
		const run = async (items: number) => {
			const ids = await stack.service.prepare(items, 0);
			return await stack.run(
				ids.map((id) => ({ id })),
				node,
			);
		};
		for (const items of counts) {
			await stack.restart();
			await run(WARM_UP_ITEMS);
			const measured = await run(items);
			sizes.push({ name, items, ...measured, requests: await stack.service.requests() });
			say(`${name}, ${items} items: ${Math.round(measured.time)} ms`);
		}
	}
	return sizes;
}
