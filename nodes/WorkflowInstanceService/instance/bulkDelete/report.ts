import type { IDataObject } from 'n8n-workflow';

import type { Memory } from '../../n8n/nodeRun';
import type { UserFacingError } from '../../values/userFacingError';

const MAX_LISTED = 500;

/** What to do where the node stops at a rejection that may be about some of the IDs only. */
export const CONTINUE_TO_TAKE_APART =
	"To delete the rest anyway, set 'On Error' in the settings of this node to Continue. The node then finds the rejected IDs and deletes the others.";

/** IDs as a sentence, e.g. `Deleted: 12, 15.`; a very long list ends with how many more there are. */
function sentence(what: string, ids: number[]): string {
	if (ids.length === 0) return '';
	const more = ids.length > MAX_LISTED ? ` and ${ids.length - MAX_LISTED} more` : '';
	return `${what}: ${ids.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

function joined(...sentences: string[]): string {
	return sentences.filter((each) => each !== '').join(' ');
}

/**
 * What became of the IDs of a run over all attempts of Retry On Fail.
 *
 * @returns in words, e.g. `Deleted: 12, 15. Not deleted: 18.`, and for the error's details
 */
export function outcomeOf(
	ids: Iterable<number>,
	{ deleted, mayBeDone }: Pick<Memory, 'deleted' | 'mayBeDone'>,
): { words: string; details: IDataObject } {
	const rest = [...ids].filter((id) => !deleted.has(id));
	const deletedIds = [...deleted];
	const notDeletedIds = rest.filter((id) => !mayBeDone.has(id));
	const uncertainIds = rest.filter((id) => mayBeDone.has(id));
	const words = joined(
		sentence('Deleted', deletedIds),
		sentence('Not deleted', notDeletedIds),
		sentence('Unknown', uncertainIds),
	);
	return { words, details: { deletedIds, notDeletedIds, uncertainIds } };
}

/** The error of the batch at which a Bulk Delete stopped, counted from 1. */
export function stoppedAt(
	batch: { number: number; of: number },
	{ words, details }: ReturnType<typeof outcomeOf>,
	error: UserFacingError,
	advice: string,
): UserFacingError {
	const prefix = batch.of === 1 ? '' : `Batch ${batch.number} of ${batch.of}: `;
	const description = joined(error.description, words, advice);
	return error.with({ message: `${prefix}${error.message}`, description, details });
}
