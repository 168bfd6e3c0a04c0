import type { LineBounds } from '../../api/pace/line';
import { RunStopped } from '../../api/pace/runStopped';
import type { Operation } from '../../n8n/entryPoints';
import { forEachYielding } from '../../n8n/eventLoop';
import type { NodeRun } from '../../n8n/nodeRun';
import { asUserFacingError, type Result } from '../../n8n/outputItems';
import { numberOption, optionsOf, type Parameters, switchOption } from '../../n8n/parameters';
import { requestLimits } from '../../n8n/sharedOptions';
import { notExpected, UserFacingError } from '../../values/userFacingError';
import { Deletion } from './deletion';
import { batchSize, dryRun, idField, instanceIds, onEmpty } from './description';
import { listed } from './dryRun';
import { idReader, itemsById, MOST_PAIRS, rejectFieldOfTool } from './idSource';
import { type Outcome, outcomeInWords, stoppedAt } from './report';
import { BatchSplitter, CONTINUE_TO_TAKE_APART, isAboutSome } from './batchSplitter';

const ACCEPTED =
	"If deleted is true, the service accepted the request. It doesn't confirm that each instance existed.";
const EXECUTE_ONCE =
	"All input items contain the same IDs. To evaluate the list only once, turn on 'Execute Once' in the settings of this node.";

interface Settings {
	batchSize: number;
	dryRun: boolean;
	emptyIsFine: boolean;
	/** Of reading; deletions are sent one after another. */
	limits: LineBounds;
}

function readSettings(parameters: Parameters): Settings {
	const options = optionsOf(parameters);
	const { [onEmpty.name]: whenEmpty = 'error' } = options;
	if (whenEmpty !== 'error' && whenEmpty !== 'nothing') {
		throw notExpected(
			whenEmpty,
			`'${onEmpty.displayName}'`,
			'one of its options',
			'Use "error" (Stop) or "nothing" (Do Nothing).',
		);
	}
	return {
		batchSize: numberOption(options, batchSize),
		dryRun: switchOption(options, dryRun),
		emptyIsFine: whenEmpty === 'nothing',
		limits: requestLimits(parameters),
	};
}

function inBatches<T>(entries: T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(entries.length / size) }, (_, index) =>
		entries.slice(index * size, (index + 1) * size),
	);
}

/**
 * Deletes the instances that all items name, in batches, one after another. The options are those of
 * the first item. All items are checked before anything is sent; one that cannot be used stops the
 * run, unless the user chose to continue.
 */
export const bulkDelete: Operation = async (run) => {
	if (run.isTool) rejectFieldOfTool(run.parameters);
	const settings = readSettings(run.parameters);
	const named = new Map<number, readonly number[]>();
	const rejected: Result[] = [];
	const readIds = idReader();
	await forEachYielding(run.items, ({ index, json, parameters }) => {
		if (rejected.length > 0 && !run.continues) return;
		try {
			named.set(index, readIds(parameters, json));
		} catch (cause) {
			rejected.push({ items: [index], error: asUserFacingError(cause) });
		}
	});
	if (rejected.length > 0 && !run.continues) return rejected;
	if (isOneList(named)) run.hint(EXECUTE_ONCE);
	const results = await deleteNamed(named, settings, run);
	return [...rejected, ...results].sort((a, b) => Number(a.items[0]) - Number(b.items[0]));
};

/** Whether many items name the same list of several ids, which takes n8n long and pairs them all to all. */
function isOneList(named: ReadonlyMap<number, readonly number[]>): boolean {
	const [first, ...others] = new Set(named.values());
	return named.size > MOST_PAIRS && others.length === 0 && first !== undefined && first.length > 1;
}

async function deleteNamed(
	named: ReadonlyMap<number, readonly number[]>,
	settings: Settings,
	run: NodeRun,
): Promise<Result[]> {
	const byId = await itemsById(named);
	if (byId.size === 0) return settings.emptyIsFine ? [] : nothingToDelete([...named.keys()]);
	if (settings.dryRun) return await listed(byId, settings.limits, run);
	const client = await run.connection.open();
	const limits = { ...settings.limits, maxConcurrentRequests: 1 };
	return await deleteBatches(byId, settings, run, new Deletion(client, limits, run.memory));
}

async function deleteBatches(
	byId: Map<number, number[]>,
	settings: Settings,
	run: NodeRun,
	deletion: Deletion,
): Promise<Result[]> {
	const pending = [...byId.keys()].filter((id) => !run.memory.deleted.has(id));
	const batches = inBatches(pending, settings.batchSize);
	const splitter = new BatchSplitter(deletion);
	for (const [index, ids] of batches.entries()) {
		const stop = await (run.continues ? splitter.deleteAllowed(ids) : deletion.delete(ids));
		if (stop === undefined) continue;
		const outcome = outcomeOf([...byId.keys()], run);
		if (stop instanceof RunStopped) {
			run.connection.log('warn', `Bulk Delete was stopped. ${outcomeInWords(outcome)}`);
			throw stop;
		}
		const place = { batch: index + 1, of: batches.length };
		const advice = isAboutSome(stop, ids) ? CONTINUE_TO_TAKE_APART : '';
		const items = [...byId].flatMap(([id, named]) => (id === ids[0] ? named : []));
		return [{ items, error: stoppedAt(place, outcome, stop, advice) }];
	}
	run.hint(ACCEPTED);
	return [...byId].map(([id, items]) => resultFor(id, items, deletion));
}

function nothingToDelete(items: number[]): Result[] {
	if (items.length === 0) return [];
	const error = new UserFacingError(
		'There are no IDs to delete',
		`Check '${instanceIds.displayName}' or '${idField.displayName}'. If there may be nothing to delete, set '${onEmpty.displayName}' in the options to Do Nothing.`,
	);
	return [{ items: items.slice(0, MOST_PAIRS), error }];
}

function outcomeOf(ids: number[], { memory: { deleted, mayBeDone } }: NodeRun): Outcome {
	const rest = ids.filter((id) => !deleted.has(id));
	return {
		deleted: [...deleted],
		notDeleted: rest.filter((id) => !mayBeDone.has(id)),
		unknown: rest.filter((id) => mayBeDone.has(id)),
	};
}

function resultFor(id: number, items: number[], { errors, messages }: Deletion): Result {
	const error = errors.get(id);
	if (error !== undefined) return { items, error: error.with({ id }) };
	const message = messages.get(id);
	return {
		items,
		json: { id, deleted: true, ...(message !== undefined && { serviceMessage: message }) },
	};
}
