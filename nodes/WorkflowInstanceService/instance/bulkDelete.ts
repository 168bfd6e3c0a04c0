import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { forEachYielding } from '../api/clock';
import { isCutOff, isWebPage, serviceWords } from '../api/response';
import type { Service } from '../api/service';
import { pathOf } from '../n8n/expressions';
import {
	assertNoDryRunAsked,
	type Job,
	jobOf,
	type NodeExecution,
	type NodeOperation,
} from '../n8n/operation';
import { type NumberOption, numberOption, optionsForm, writeOptions } from '../n8n/parameters';
import { pick } from '../values/json';
import { isEmpty } from '../values/text';
import { asUserFacingError, UserFacingError } from '../values/userFacingError';
import { reportsDeletion, reportsFailure } from './failureReports';
import { assertDeletable, isSample, sampleItem } from './failedItems';
import { assertNoRowId, idListForm, readIdList } from './idParameters';
import { idIn } from './locators';
import { readInstance, unusableResponse } from './responses';

const permanentNotice: INodeProperties = {
	displayName:
		"Deleted instances can't be restored. The ID of a table's row is not an instance ID. To preview what will be deleted, turn on Dry Run. To have a person approve an AI agent's deletions, add a human review step between the agent and this node.",
	name: 'permanentNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { dryRun: [false] } },
};

const instanceIds = idListForm({
	hint: 'IDs or URLs, separated by commas, or an expression',
	description:
		'The IDs or URLs of the instances to delete, separated by commas, or an expression that returns them for each input item. The instances of all input items are deleted together, without duplicates.',
	builderHint: {
		propertyHint:
			"For IDs from a previous node, use an expression such as {{ $json.instance_id }}. For several, return a list, or join them with ', '. All input items are processed in one run, so don't put Loop Over Items, Split In Batches or Aggregate before this node.",
	},
});

const batchSize: NumberOption = {
	displayName: 'Batch Size',
	name: 'batchSize',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 100,
	description: 'The maximum number of instances to delete per request',
};

export const bulkDeleteForm: INodeProperties[] = [permanentNotice, instanceIds];

export const bulkDeleteOptions = optionsForm([batchSize, ...writeOptions]);

const MOST_READ = 100;
// Each item of a batch repeats the words of the response.
const LONGEST_MESSAGE = 200;

const DRY_RUN =
	'Dry Run is on, so nothing was deleted. If found is false, the service has no instance with that ID.';
const NOT_ALL_READ = `Only the first ${MOST_READ} instances were read. The others are listed by ID only.`;
const UNFINISHED =
	'Some of these instances are neither completed nor aborted. Check that you want to delete them.';
const NO_IDS =
	"There were no instance IDs, so nothing was deleted. If this node is in a loop, the loop ends here, unless 'Always Output Data' is on in the settings of this node.";
const ACCEPTED =
	"If deleted is true, the service accepted the request. It doesn't confirm that each instance existed.";

/** If thousands of items contain an ID, it's only paired to the first of them, since n8n can't save more pairs. */
const MAX_PAIRS = 100;

/** The IDs of consecutive items with equal lists, kept once: thousands of items may have the same thousands of IDs. */
interface IdList {
	/** The list as it is in the first of these items. */
	value: unknown;
	ids: readonly number[];
	itemIndexes: number[];
}

/** The first items that contain each ID, in the order in which IDs were first seen. */
async function itemIndexesById(lists: readonly IdList[]) {
	const byId = new Map<number, readonly number[]>();
	await forEachYielding(lists, ({ ids, itemIndexes }) => {
		const first = itemIndexes.slice(0, MAX_PAIRS);
		for (const id of new Set(ids)) {
			const previous = byId.get(id);
			// IDs of one list share one array, which n8n saves once.
			if (previous === undefined) byId.set(id, first);
			else if (previous.length < MAX_PAIRS)
				byId.set(id, [...previous, ...first].slice(0, MAX_PAIRS));
		}
	});
	return byId;
}

/** Lists what would be deleted, and reads the first instances, to show what they are. */
function previewJobs(byId: Job['itemIndexesById'], execution: NodeExecution): Job[] {
	const service = execution.serviceFor(execution.firstItem);
	const preview = async (id: number): Promise<IDataObject> => {
		const instance = await readInstance(service, id).catch(asUserFacingError);
		if (instance instanceof UserFacingError) {
			if (instance.kind !== 'notFound') throw instance;
			// Without the keys, n8n's table shows "undefined" in red.
			return { found: false, name: null, stage: null };
		}
		if (isEmpty(instance.completed_time) && isEmpty(instance.aborted_time))
			execution.hint(UNFINISHED);
		return { found: true, ...pick(instance, ['name', 'stage']) };
	};
	execution.hint(DRY_RUN);
	if (byId.size > MOST_READ) execution.hint(NOT_ALL_READ);
	return [...byId].map(([id, itemIndexes], index) => {
		const work = async () => {
			const read = index < MOST_READ ? await preview(id) : {};
			return { id, deleted: false, dryRun: true, ...read };
		};
		return jobOf(id, itemIndexes, { readsOnly: true, work });
	});
}

/** Deletes instances in one request (docs/dev/service-interface.md#bulk-delete). Returns a function from ID to output. */
async function deleteInstances(ids: readonly number[], service: Service, { hint }: NodeExecution) {
	const path = '/instances/bulk/delete';
	const body = { ids: [...ids] };
	const reportsChange = (json: unknown) => reportsDeletion(json, ids);
	const response = await service.send({ method: 'POST', path, body, ids, reportsChange });
	if (isWebPage(response) || isCutOff(response)) throw unusableResponse(response, ids);
	const words = serviceWords(response);
	if (reportsFailure(response, ids)) {
		const what = `does not confirm the deletion (${response.status})${words && `: ${words}`}`;
		throw unusableResponse(response, ids, what, 'Check in the service what was deleted.');
	}
	hint(ACCEPTED);
	if (words === '') return (id: number) => ({ id, deleted: true });
	hint(`The service responded: ${words}`, 'words');
	const serviceMessage = serviceWords(response, LONGEST_MESSAGE);
	return (id: number) => ({ id, deleted: true, serviceMessage });
}

function deletionJobs(byId: Job['itemIndexesById'], size: number, execution: NodeExecution): Job[] {
	const service = execution.serviceFor(execution.firstItem);
	const entries = [...byId];
	return Array.from({ length: Math.ceil(entries.length / size) }, (_, batch) => ({
		itemIndexesById: new Map(entries.slice(batch * size, (batch + 1) * size)),
		readsOnly: false,
		execute: async (ids) => await deleteInstances(ids, service, execution),
	}));
}

/** Deletes the instances of all items together, with the options of the first item. All items are checked first. */
export const bulkDelete: NodeOperation = {
	writes: {
		done: 'Deleted',
		adviceIfUnknown:
			'The instances may already have been deleted. Running this node again is safe, but the service may reject IDs that are already deleted.',
	},
	failedPreview: { deleted: false, dryRun: true },
	idOf: idIn(instanceIds),

	plan(execution) {
		const { isDryRun, isTool } = execution;
		if (!isDryRun && execution.comeFromSamples()) throw sampleItem();
		// Once, since thousands of items may be checked.
		const path = pathOf(execution.firstItem.entered(instanceIds));
		const lists: IdList[] = [];
		return {
			jobsOf(parameters) {
				const value = parameters.get(instanceIds);
				const last = lists.at(-1);
				const isSameValue = last !== undefined && last.value === value;
				const { ids } = isSameValue ? last : readIdList(instanceIds, parameters, execution);
				// Checked before the IDs are added, since under Continue, those of an invalid item must not be deleted.
				assertNoDryRunAsked(parameters.item, execution);
				if (!isDryRun && isSample(parameters.item.json())) throw sampleItem();
				// What failed before an agent started is not about the IDs that its model chooses.
				if (!isTool) assertDeletable(path, parameters.item, ids);
				assertNoRowId(instanceIds, path, parameters.item, ids);
				if (last && (isSameValue || String(last.ids) === String(ids)))
					last.itemIndexes.push(parameters.itemIndex);
				else lists.push({ value, ids, itemIndexes: [parameters.itemIndex] });
				return [];
			},

			async jobsOfAll() {
				const size = numberOption(execution.firstItem, batchSize);
				const byId = await itemIndexesById(lists);
				if (byId.size === 0 && lists.length > 0) {
					execution.hint(NO_IDS);
					return [];
				}
				return isDryRun ? previewJobs(byId, execution) : deletionJobs(byId, size, execution);
			},
		};
	},
};
