import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../../api/apiClient';
import { isCutOff, isWebPage, serviceWords } from '../../api/response';
import { dryRun, numberOption, optionsOf, switchOption } from '../../n8n/parameters';
import { type Job, jobOf, type NodeOperation, type NodeRun } from '../../n8n/operation';
import { pick } from '../../values/json';
import { asUserFacingError, shortened } from '../../values/userFacingError';
import { readInstance, unusableResponse } from '../readInstance';
import { reportsFailure } from '../refusal';
import { batchSize } from './form';
import { idReader, type ItemsById, itemsById } from './instanceIds';

const MOST_READ = 100;
// Each item of a request shows the words of its response.
const LONGEST_MESSAGE = 200;

const DRY_RUN =
	'Dry Run is on, so nothing was deleted. If found is false, the service has no instance with that ID. message says what is wrong with an item.';
const NOT_ALL_READ = `Only the first ${MOST_READ} instances were read. The others are listed by ID only.`;
const NONE_FOUND =
	'None of these IDs was found. If they come from a table, they may be the IDs of its rows instead of instance IDs.';
const ACCEPTED =
	"If deleted is true, the service accepted the request. It doesn't confirm that each instance existed.";

/** Lists what would be deleted, and reads the first instances, to show what they are. */
function previewJobs(byId: ItemsById, run: NodeRun): Job[] {
	const service = run.serviceFor(run.parameters);
	let unknown = 0;
	const preview = async (id: number): Promise<IDataObject> => {
		const outcome = await readInstance(service, id).catch(asUserFacingError);
		if ('instance' in outcome) return { found: true, ...pick(outcome.instance, ['name', 'stage']) };
		if (outcome.kind !== 'absent') throw outcome;
		if (++unknown === Math.min(byId.size, MOST_READ)) run.hint(NONE_FOUND);
		// Without the keys, n8n's table shows "undefined" in red.
		return { found: false, name: null, stage: null };
	};
	run.hint(DRY_RUN);
	if (byId.size > MOST_READ) run.hint(NOT_ALL_READ);
	return [...byId].map(([id, items], index) =>
		jobOf(id, items, true, async () => {
			const read = index < MOST_READ ? await preview(id) : {};
			return { id, deleted: false, dryRun: true, ...read };
		}),
	);
}

/** Deletes instances in one request. Resolves with a function that returns the output for each (docs/dev/service-interface.md#bulk-delete). */
async function deleteInstances(ids: readonly number[], service: Service, { hint }: NodeRun) {
	const request = { path: '/instances/bulk/delete', body: { ids: [...ids] }, ids };
	const response = await service.send({ method: 'POST', ...request });
	if (isWebPage(response)) throw unusableResponse(response, ids);
	const words = serviceWords(response);
	if (isCutOff(response) || reportsFailure(response, ids)) {
		const what = `does not confirm the deletion (${response.status}): ${words}`;
		throw unusableResponse(response, ids, what, "It doesn't say what was deleted.");
	}
	if (words === '') return (id: number) => [{ id, deleted: true }];
	hint(`The service responded: ${words}`, 'words');
	const serviceMessage = shortened(words, LONGEST_MESSAGE);
	return (id: number) => [{ id, deleted: true, serviceMessage }];
}

function deletionJobs(byId: ItemsById, run: NodeRun): Job[] {
	const size = numberOption(optionsOf(run.parameters), batchSize);
	const service = run.serviceFor(run.parameters);
	const entries = [...byId];
	if (entries.length > 0) run.hint(ACCEPTED);
	return Array.from({ length: Math.ceil(entries.length / size) }, (_, batch) => ({
		itemsById: new Map(entries.slice(batch * size, (batch + 1) * size)),
		readsOnly: false,
		run: async (ids) => await deleteInstances(ids, service, run),
	}));
}

/** Deletes the instances that all items contain, by the options of the first item. All are checked first. */
export const bulkDelete: NodeOperation = {
	done: 'Deleted',
	unknownOutcome:
		'The instances may already have been deleted. Running this again is safe, but IDs that are gone may be rejected.',
	preview: { deleted: false, dryRun: true },

	begin(run) {
		const isDryRun = switchOption({ dryRun: run.parameters.get(dryRun) }, dryRun);
		const idsOf = idReader(run);
		const byList = new Map<readonly number[], number[]>();
		return {
			prepare(parameters) {
				const ids = idsOf(parameters);
				const items = byList.get(ids) ?? [];
				items.push(parameters.item);
				byList.set(ids, items);
				return [];
			},

			async prepareAll() {
				const byId = await itemsById(byList);
				return isDryRun ? previewJobs(byId, run) : deletionJobs(byId, run);
			},
		};
	},
};
