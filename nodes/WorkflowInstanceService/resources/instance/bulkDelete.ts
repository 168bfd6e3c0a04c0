import type { INodePropertyOptions } from 'n8n-workflow';

import { settle } from '../../engine/errors';
import { merged, type MergedOperation, type MergedTools } from '../../engine/hooks';
import { numberOption, optionsOf, type Parameters, switchOption } from '../../engine/parameters';
import type { Outcome } from '../../engine/run';
import type { Service } from '../../engine/service';
import { isWebPage } from '../../service/answer';
import { describeValue, Trouble } from '../../values/trouble';
import { notThisInterface } from './answers';
import { batchSize, dryRun } from './bulkDelete/form';
import { FIELD_LABEL, IDS_LABEL, itemsById, readIds } from './bulkDelete/ids';
import { stoppedAt } from './bulkDelete/stop';

interface Settings {
	batchSize: number;
	dryRun: boolean;
	emptyIsFine: boolean;
}

function readSettings(parameters: Parameters): Settings {
	const options = optionsOf(parameters);
	const { onEmpty = 'error' } = options;
	if (onEmpty !== 'error' && onEmpty !== 'nothing') {
		throw new Trouble(
			`'If There Are No IDs' cannot be ${describeValue(onEmpty)}`,
			'Choose Stop or Do Nothing.',
		);
	}
	return {
		batchSize: numberOption(options, batchSize),
		dryRun: switchOption(options, dryRun),
		emptyIsFine: onEmpty === 'nothing',
	};
}

function inBatches<T>(entries: T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(entries.length / size) }, (_, index) =>
		entries.slice(index * size, (index + 1) * size),
	);
}

/** One request (interface, section 4.3). Whatever 2xx the service answers is success. */
async function deleteBatch(service: Service, ids: number[]): Promise<void> {
	const subject = ids.length === 1 ? `instance ${ids[0]}` : `${ids.length} instances`;
	const answer = await service.send({
		method: 'POST',
		path: '/instances/bulk/delete',
		body: { ids },
		subject,
	});
	if (isWebPage(answer)) throw notThisInterface(answer, subject);
}

/**
 * Deletes in batches, one after another. The first batch that does not go through ends the run,
 * unless the user chose to continue: then its ids are reported and the next batches follow.
 */
async function deleteAll(
	byId: Map<number, number[]>,
	size: number,
	{ service, continues, deleted }: MergedTools,
): Promise<Outcome[]> {
	const missed = new Map<number, Trouble>();
	const batches = inBatches(
		[...byId.keys()].filter((id) => !deleted.has(id)),
		size,
	);
	for (const [index, ids] of batches.entries()) {
		const trouble = await settle(deleteBatch(service, ids));
		if (!(trouble instanceof Trouble)) {
			for (const id of ids) deleted.add(id);
			continue;
		}
		if (!continues) {
			const items = [...byId].filter(([id]) => id === ids[0]).flatMap(([, named]) => named);
			return [{ items, trouble: stoppedAt(index, batches, [...deleted], trouble) }];
		}
		for (const id of ids) missed.set(id, trouble);
	}
	return [...byId].map(([id, items]) => {
		const trouble = missed.get(id);
		if (trouble === undefined) return { items, json: { id, deleted: true } };
		const { message, advice, facts } = trouble;
		return { items, trouble: new Trouble(message, advice, { ...facts, details: { id } }) };
	});
}

const bulkDelete: MergedOperation<number[]> = {
	prepare: readIds,

	async performAll(jobs, tools) {
		const settings = readSettings(tools.parameters);
		const byId = itemsById(jobs);
		if (settings.dryRun) {
			return [...byId].map(([id, items]) => ({
				items,
				json: { id, deleted: false, dryRun: true },
			}));
		}
		if (byId.size > 0) return await deleteAll(byId, settings.batchSize, tools);
		if (settings.emptyIsFine || jobs.size === 0) return [];
		const trouble = new Trouble(
			'There are no IDs to delete',
			`Check '${IDS_LABEL}' or '${FIELD_LABEL}'. If there is sometimes nothing to delete, set 'If There Are No IDs' in the options to Do Nothing.`,
		);
		return [{ items: [...jobs.keys()], trouble }];
	},
};

export const bulkDeleteOption: INodePropertyOptions = {
	name: 'Bulk Delete',
	value: 'bulkDelete',
	action: 'Delete instances permanently',
	description: 'Delete the instances of all input items together, for good',
	routing: merged(bulkDelete),
};
