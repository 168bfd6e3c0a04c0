import type { IDataObject } from 'n8n-workflow';

import type { RequestLimits } from '../../api/apiRequest';
import { RunStopped } from '../../api/pace/runStopped';
import type { NodeRun } from '../../n8n/nodeRun';
import { type Result, settle } from '../../n8n/outputItems';
import { UserFacingError } from '../../values/userFacingError';
import { pick } from '../../values/json';
import { readInstance } from '../readInstance';
import type { ItemsById } from './idSource';

const MOST_READ = 100;
const NOT_ALL_READ = `Only the first ${MOST_READ} instances were read. The others are listed by ID only.`;

/** What the output says about an instance: name and stage, or why they are not known. */
async function preview(id: number, limits: RequestLimits, run: NodeRun): Promise<IDataObject> {
	const read = async () => await readInstance(await run.connection.open(limits), id);
	const outcome = await settle(read());
	if (outcome instanceof RunStopped) throw outcome;
	if (!(outcome instanceof UserFacingError)) {
		return { found: true, ...pick(outcome.instance, ['name', 'stage']) };
	}
	// Without the keys, n8n's table shows "undefined" in red.
	if (outcome.isAbsent) return { found: false, name: null, stage: null };
	return { message: run.connection.redact(outcome.message) };
}

/** Lists what would be deleted. The first {@link MOST_READ} instances are read, to show what they are. */
export async function listed(
	byId: ItemsById,
	{ limits }: { limits: RequestLimits },
	run: NodeRun,
): Promise<Result[]> {
	if (byId.size > MOST_READ) run.hint(NOT_ALL_READ);
	const ids = [...byId.keys()].slice(0, MOST_READ);
	const previews = await Promise.all(ids.map(async (id) => await preview(id, limits, run)));
	return [...byId].map(([id, items], index) => ({
		items,
		json: { id, deleted: false, dryRun: true, ...previews[index] },
	}));
}
