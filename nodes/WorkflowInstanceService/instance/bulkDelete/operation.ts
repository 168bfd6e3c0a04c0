import type { IDataObject } from 'n8n-workflow';

import { RunStopped } from '../../api/waits';
import { forEachYielding } from '../../n8n/eventLoop';
import type { NodeRun, Operation } from '../../n8n/nodeRun';
import { asUserFacingError, type Result, settle } from '../../n8n/outputItems';
import {
	chosenOption,
	numberOption,
	optionsOf,
	type Parameters,
	maxWaitOf,
	switchOption,
} from '../../n8n/parameters';
import { pick } from '../../values/json';
import { UserFacingError } from '../../values/userFacingError';
import { readInstance } from '../readInstance';
import { deleteInBatches } from './deletion';
import { batchSize, dryRun, idField, idSource, instanceIds, onEmpty } from './description';
import { idReader, type ItemsById, itemsById, type ItemsByList, MAX_PAIRS } from './idSource';

const EXECUTE_ONCE =
	"All input items contain the same IDs. To evaluate the list only once, turn on 'Execute Once' in the settings of this node.";

const MOST_READ = 100;
const NOT_ALL_READ = `Only the first ${MOST_READ} instances were read. The others are listed by ID only.`;

function readSettings(parameters: Parameters) {
	const options = optionsOf(parameters);
	const { onEmpty: whenEmpty = 'error' } = options;
	return {
		batchSize: numberOption(options, batchSize),
		dryRun: switchOption(options, dryRun),
		emptyIsFine: chosenOption(whenEmpty, onEmpty.displayName, ['error', 'nothing']) === 'nothing',
		maxWait: maxWaitOf(parameters),
	};
}

function noIds(parameters: Parameters): UserFacingError {
	const { displayName } = parameters.get(idSource) === 'inputField' ? idField : instanceIds;
	return new UserFacingError(
		`There are no IDs to delete in '${displayName}'`,
		`Check the data that it uses. If there may be nothing to delete, set '${onEmpty.displayName}' in the options to Do Nothing.`,
	);
}

/** Lists what would be deleted, and reads the first instances, to show what they are. */
async function listed(byId: ItemsById, maxWait: number, run: NodeRun): Promise<Result[]> {
	const { connection } = run;
	const read = async (id: number) => await readInstance(await connection.open(maxWait), id);
	const preview = async (id: number): Promise<IDataObject> => {
		const outcome = await settle(read(id));
		if (outcome instanceof RunStopped) throw outcome;
		if ('instance' in outcome) return { found: true, ...pick(outcome.instance, ['name', 'stage']) };
		// Without the keys, n8n's table shows "undefined" in red.
		if (outcome.isAbsent) return { found: false, name: null, stage: null };
		return { message: connection.redact(outcome.message) };
	};
	if (byId.size > MOST_READ) run.hint(NOT_ALL_READ);
	const previews = await Promise.all([...byId.keys()].slice(0, MOST_READ).map(preview));
	return [...byId].map(([id, items], index) => ({
		items,
		json: { id, deleted: false, dryRun: true, ...previews[index] },
	}));
}

/** Deletes the instances that all items contain, by the options of the first item. All are checked first. */
export const bulkDelete: Operation = async (run) => {
	const settings = readSettings(run.parameters);
	const { emptyIsFine } = settings;
	const byList: ItemsByList = new Map();
	const rejected: Result[] = [];
	const readIds = idReader(run.isTool);
	await forEachYielding(run.items, ({ index, json, parameters }) => {
		if (rejected.length > 0 && !run.continues) return;
		try {
			const ids = readIds(parameters, json);
			if (ids.length === 0 && run.continues && !emptyIsFine) throw noIds(parameters);
			const items = byList.get(ids) ?? [];
			items.push(index);
			byList.set(ids, items);
		} catch (cause) {
			rejected.push({ items: [index], error: asUserFacingError(cause) });
		}
	});
	if (rejected.length > 0 && !run.continues) return rejected;
	const byId = await itemsById(byList);
	const isOneList = byList.size === 1 && byId.size > 1;
	if (isOneList && run.items.length - rejected.length > MAX_PAIRS) run.hint(EXECUTE_ONCE);
	if (byId.size === 0) {
		if (emptyIsFine || run.continues) return rejected;
		throw noIds(run.parameters);
	}
	const results = settings.dryRun
		? await listed(byId, settings.maxWait, run)
		: await deleteInBatches(byId, settings, run);
	return [...rejected, ...results].sort((a, b) => Number(a.items[0]) - Number(b.items[0]));
};
