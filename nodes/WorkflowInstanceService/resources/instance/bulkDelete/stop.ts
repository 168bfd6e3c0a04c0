import { Trouble } from '../../../values/trouble';

const LONGEST_LIST = 5_000;

/** Ids as text, e.g. `12, 15`; a very long list ends with how many more there are. */
function listed(ids: number[]): string {
	const text = ids.join(', ');
	if (text.length <= LONGEST_LIST) return text;
	const shown = text.slice(0, LONGEST_LIST).split(', ').slice(0, -1);
	return `${shown.join(', ')} and ${ids.length - shown.length} more`;
}

function sentence(ids: number[], what: string): string {
	return ids.length === 0 ? '' : `${what}: ${listed(ids)}.`;
}

/**
 * The trouble of a batch, with what had been deleted by then and what had not.
 *
 * @param index the batch that did not go through
 * @param deleted the ids that are gone
 */
export function stoppedAt(
	index: number,
	batches: number[][],
	deleted: number[],
	trouble: Trouble,
): Trouble {
	const sent = batches.slice(index, index + 1).flat();
	const unsent = batches.slice(index + 1).flat();
	const { isUncertain } = trouble.facts;
	const uncertain = isUncertain ? sent : [];
	const notDeleted = isUncertain ? unsent : [...sent, ...unsent];
	const batch = batches.length === 1 ? '' : `Batch ${index + 1} of ${batches.length}: `;
	const facts = [
		sentence(deleted, 'Deleted'),
		sentence(notDeleted, 'Not deleted'),
		sentence(uncertain, 'Perhaps deleted'),
	];
	return new Trouble(
		`${batch}${trouble.message}`,
		[trouble.advice, ...facts].filter(Boolean).join(' '),
		{
			...trouble.facts,
			details: { deletedIds: deleted, notDeletedIds: notDeleted, uncertainIds: uncertain },
		},
	);
}
