import { RunStopped } from '../../api/pace/runStopped';
import { forEachYielding } from '../../n8n/eventLoop';
import type { NodeRun, Operation } from '../../n8n/nodeRun';
import { asUserFacingError, type Result, settle } from '../../n8n/outputItems';
import {
	chosenOption,
	numberOption,
	optionsOf,
	type Parameters,
	switchOption,
} from '../../n8n/parameters';
import { requestLimits } from '../../n8n/sharedOptions';
import { UserFacingError } from '../../values/userFacingError';
import { Deletion, isAboutSome } from './deletion';
import { batchSize, dryRun, idField, idSource, instanceIds, onEmpty } from './description';
import { listed } from './dryRun';
import { idReader, type IdsByItem, type ItemsById, itemsById, MAX_PAIRS } from './idSource';
import { CONTINUE_TO_TAKE_APART, outcomeOf, stoppedAt } from './report';

const ACCEPTED =
	"If deleted is true, the service accepted the request. It doesn't confirm that each instance existed.";
const EXECUTE_ONCE =
	"All input items contain the same IDs. To evaluate the list only once, turn on 'Execute Once' in the settings of this node.";

function readSettings({ parameters }: NodeRun) {
	const options = optionsOf(parameters);
	const { [onEmpty.name]: whenEmpty = 'error' } = options;
	return {
		batchSize: numberOption(options, batchSize),
		dryRun: switchOption(options, dryRun),
		emptyIsFine: chosenOption(whenEmpty, onEmpty.displayName, ['error', 'nothing']) === 'nothing',
		limits: requestLimits(parameters),
	};
}
type Settings = ReturnType<typeof readSettings>;

function noIds(parameters: Parameters): UserFacingError {
	const { displayName } = parameters.get(idSource) === 'inputField' ? idField : instanceIds;
	return new UserFacingError(
		`There are no IDs to delete in '${displayName}'`,
		`Check the data that it uses. If there may be nothing to delete, set '${onEmpty.displayName}' in the options to Do Nothing.`,
	);
}

/**
 * Deletes the instances that all items contain, in batches, one after another. The options are those of
 * the first item. All items are checked before anything is sent; one that can't be used stops the
 * run, unless the user chose to continue.
 */
export const bulkDelete: Operation = async (run) => {
	const settings = readSettings(run);
	const { emptyIsFine } = settings;
	const idsByItem = new Map<number, readonly number[]>();
	const rejected: Result[] = [];
	const readIds = idReader(run.isTool);
	await forEachYielding(run.items, ({ index, json, parameters }) => {
		if (rejected.length > 0 && !run.continues) return;
		try {
			const ids = readIds(parameters, json);
			if (ids.length === 0 && run.continues && !emptyIsFine) throw noIds(parameters);
			idsByItem.set(index, ids);
		} catch (cause) {
			rejected.push({ items: [index], error: asUserFacingError(cause) });
		}
	});
	if (rejected.length > 0 && !run.continues) return rejected;
	if (isOneList(idsByItem)) run.hint(EXECUTE_ONCE);
	const byId = await itemsById(idsByItem);
	if (byId.size === 0) {
		if (emptyIsFine || run.continues) return rejected;
		throw noIds(run.parameters);
	}
	const handle = settings.dryRun ? listed : deleteInBatches;
	const results = await handle(byId, settings, run);
	return [...rejected, ...results].sort((a, b) => Number(a.items[0]) - Number(b.items[0]));
};

/** Whether many items contain the same list of several IDs, which n8n takes long to evaluate. */
function isOneList(idsByItem: IdsByItem): boolean {
	const [first = [], ...others] = new Set(idsByItem.values());
	return idsByItem.size > MAX_PAIRS && others.length === 0 && first.length > 1;
}

async function deleteInBatches(byId: ItemsById, settings: Settings, run: NodeRun) {
	const { connection, memory } = run;
	const ids = [...byId.keys()].filter((id) => !memory.deleted.has(id));
	const deletion = new Deletion(await connection.open(settings.limits), memory);
	const of = Math.ceil(ids.length / settings.batchSize);
	for (let number = 1; number <= of; number++) {
		const batch = ids.slice((number - 1) * settings.batchSize, number * settings.batchSize);
		const deleting = run.continues ? deletion.deleteByHalves(batch) : deletion.delete(batch);
		const stop = await settle(deleting);
		if (stop === undefined) continue;
		const outcome = outcomeOf(byId.keys(), memory);
		if (stop instanceof RunStopped) {
			connection.log('warn', `Bulk Delete was stopped. ${outcome.words}`);
			throw stop;
		}
		const advice = isAboutSome(stop, batch) ? CONTINUE_TO_TAKE_APART : '';
		const items = [...byId].flatMap(([id, named]) => (id === batch[0] ? named : []));
		return [{ items, error: stoppedAt({ number, of }, outcome, stop, advice) }];
	}
	run.hint(ACCEPTED);
	return [...byId].map(([id, items]) => {
		const outcome = deletion.outcomes.get(id) ?? '';
		if (outcome instanceof UserFacingError) return { items, error: outcome.with({ id }) };
		const message = outcome === '' ? {} : { serviceMessage: outcome };
		return { items, json: { id, deleted: true, ...message } };
	});
}
