import type { IDataObject } from 'n8n-workflow';

import type { LineBounds } from '../../api/pace/line';
import { RunStopped } from '../../api/pace/runStopped';
import type { Service } from '../../n8n/forEachItem';
import type { NodeRun } from '../../n8n/nodeRun';
import { type Result, settle } from '../../n8n/outputItems';
import { UserFacingError } from '../../values/userFacingError';
import { toOutput } from '../output';
import { readDatedInstance } from '../readInstance';

const MOST_READ = 100;
const SHOWN = { fields: ['name', 'stage'], parseSnapshot: false };
const NOT_ALL_READ = `Only the first ${MOST_READ} instances were read. The others are listed by ID only.`;

/** What an error says of the instance that was to be read. */
function withoutInstance(error: UserFacingError, { connection }: NodeRun): IDataObject {
	return error.isAbsent ? { found: false } : { message: connection.redact(error.message) };
}

/** What the service says of an instance: whether it is there, and what it is, or why that is not known. */
async function look(id: number, limits: LineBounds, run: NodeRun): Promise<IDataObject> {
	const send: Service['send'] = async (request) =>
		await (await run.connection.open()).send(request, limits);
	const outcome = await settle(
		readDatedInstance({ send }, id).then(({ instance }) => toOutput(instance, SHOWN)),
	);
	if (outcome instanceof RunStopped) throw outcome;
	if (outcome instanceof UserFacingError) return withoutInstance(outcome, run);
	return { found: true, ...outcome };
}

/**
 * Lists what would be deleted. The first {@link MOST_READ} instances are read, so that people see what
 * they are. Those that can't be read are listed too.
 *
 * @param byId the items that named each ID
 */
export async function listed(
	byId: ReadonlyMap<number, number[]>,
	limits: LineBounds,
	run: NodeRun,
): Promise<Result[]> {
	const ids = [...byId.keys()];
	if (ids.length > MOST_READ) run.hint(NOT_ALL_READ);
	const seen = await Promise.all(
		ids.slice(0, MOST_READ).map(async (id) => await look(id, limits, run)),
	);
	return [...byId].map(([id, items], index) => ({
		items,
		json: { id, deleted: false, dryRun: true, ...seen[index] },
	}));
}
