import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	IPairedItemData,
	ISourceData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { describeStandIn } from './describe';

interface LoopState {
	waiting: INodeExecutionData[];
	processed: INodeExecutionData[];
	source: ISourceData;
}

function pairedTo(source: ISourceData, paired: INodeExecutionData['pairedItem']): IPairedItemData {
	const first = Array.isArray(paired) ? paired[0] : paired;
	const pairing = typeof first === 'object' ? first : { item: first ?? 0 };
	return { ...pairing, sourceOverwrite: source };
}

/** Stands in for `n8n-nodes-base.splitInBatches` 3: output 0 is `done`, output 1 the loop. */
export class SplitInBatches implements INodeType {
	description = describeStandIn(
		'splitInBatches',
		[{ displayName: 'Batch Size', name: 'batchSize', type: 'number', default: 1 }],
		{
			version: 3,
			outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
			outputNames: ['done', 'loop'],
		},
	);

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const context = this.getContext('node');
		const batchSize = Number(this.getNodeParameter('batchSize', 0));
		const source = this.getInputSourceData();
		const input = this.getInputData();
		const known: LoopState | undefined = context.loop;
		const state: LoopState = known ?? { waiting: [...input], processed: [], source };
		context.loop = state;

		const batch = state.waiting.splice(0, batchSize);
		if (known !== undefined) {
			const returned = input.map((item, index) => ({
				...item,
				pairedItem: { sourceOverwrite: source, item: index },
			}));
			state.processed.push(...returned);
			for (const item of batch) item.pairedItem = pairedTo(state.source, item.pairedItem);
		}
		context.noItemsLeft = state.waiting.length === 0;
		return await Promise.resolve(batch.length === 0 ? [state.processed, []] : [[], batch]);
	}
}
