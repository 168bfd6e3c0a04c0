import type { IDataObject } from 'n8n-workflow';

import { UserFacingError } from '../../values/userFacingError';

const LONGEST_LIST = 5_000;

/** What became of each id of a Bulk Delete. */
export interface Outcome {
	deleted: number[];
	notDeleted: number[];
	/** Ids that were sent without a response that says what became of them. */
	unknown: number[];
}

/** Ids as text, e.g. `12, 15`; a very long list ends with how many more there are. */
function listed(ids: number[]): string {
	const text = ids.join(', ');
	if (text.length <= LONGEST_LIST) return text;
	const shown = text.slice(0, LONGEST_LIST).split(', ').slice(0, -1);
	return `${shown.join(', ')} and ${ids.length - shown.length} more`;
}

function sentence(ids: number[], what: string): string[] {
	return ids.length === 0 ? [] : [`${what}: ${listed(ids)}.`];
}

/** An outcome in sentences, e.g. `Deleted: 12, 15. Not deleted: 18.` */
export function outcomeInWords({ deleted, notDeleted, unknown }: Outcome): string {
	return [
		...sentence(deleted, 'Deleted'),
		...sentence(notDeleted, 'Not deleted'),
		...sentence(unknown, 'Unknown'),
	].join(' ');
}

function detailsOf({ deleted, notDeleted, unknown }: Outcome): IDataObject {
	return { deletedIds: deleted, notDeletedIds: notDeleted, uncertainIds: unknown };
}

/**
 * The error of the batch at which a Bulk Delete stopped, with what had been deleted by then and what
 * had not.
 *
 * @param place the batch, counted from 1, and how many there are
 * @param advice what else to do
 */
export function stoppedAt(
	place: { batch: number; of: number },
	outcome: Outcome,
	error: UserFacingError,
	advice = '',
): UserFacingError {
	const prefix = place.of === 1 ? '' : `Batch ${place.batch} of ${place.of}: `;
	return error.with({
		message: `${prefix}${error.message}`,
		description: [error.description, outcomeInWords(outcome), advice].filter(Boolean).join(' '),
		details: detailsOf(outcome),
	});
}
