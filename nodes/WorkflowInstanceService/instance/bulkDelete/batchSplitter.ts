import { RunStopped } from '../../api/pace/runStopped';
import { UserFacingError } from '../../values/userFacingError';
import type { Deletion } from './deletion';

/** Refusals that may be about some of the ids only. */
const ABOUT_SOME = new Set(['400', '403', '404', '409', '422']);
const MOST_EXTRA_REQUESTS = 200;
/** Smaller batches are taken apart by about as many requests as it takes to try single ids. */
const SMALLEST_PROBED = 16;
/** Where in a batch the ids stand that are tried alone, in parts of the whole. */
const PROBED = [1 / 4, 1 / 2, 3 / 4];

/** What to do where the node stops at such a refusal. */
export const CONTINUE_TO_TAKE_APART =
	"To delete the rest anyway, set 'On Error' in the settings of this node to Continue. The node then finds the rejected IDs and deletes the others.";
const SEARCH_ENDED = `The node stopped looking for the rejected IDs after ${MOST_EXTRA_REQUESTS} extra requests. Run this node again with the remaining IDs.`;
const ALL_ALIKE =
	"Three IDs in the batch were also rejected on their own, so the others weren't tried.";

/** Whether a refusal may be about some of the ids, so that others could be deleted. */
export function isAboutSome(
	{ httpCode = '', words }: UserFacingError,
	ids: readonly number[],
): boolean {
	return ids.length > 1 && words !== undefined && ABOUT_SOME.has(httpCode);
}

/** The refusal of a batch, for ids of which nobody knows whether it is about them. */
function undecided(error: UserFacingError, why: string): UserFacingError {
	return error.with({
		message: `The batch that contains this ID was rejected. ${error.message}`,
		description: `Other IDs in the batch may be the reason. ${why} ${error.description}`,
	});
}

/** The ids that the service names in its refusal. */
function namedIn({ words = '' }: UserFacingError, ids: readonly number[]): number[] {
	const numbers = new Set((words.match(/\d+/g) ?? []).map(Number));
	return ids.filter((id) => numbers.has(id));
}

/** Those that are named apart from the others; halves, when none or all of them are. */
function partsOf(ids: readonly number[], error: UserFacingError): Array<readonly number[]> {
	const named = namedIn(error, ids);
	const others = ids.filter((id) => !named.includes(id));
	if (named.length > 0 && others.length > 0) return [others, named];
	const middle = Math.ceil(ids.length / 2);
	return [ids.slice(0, middle), ids.slice(middle)];
}

/** Whether two refusals say the same, but for numbers: they may count the ids. */
function isAlike(error: UserFacingError | undefined, other: UserFacingError): boolean {
	const gist = ({ httpCode, words }: UserFacingError) =>
		`${httpCode} ${words?.replace(/\d+/g, '0')}`;
	return error !== undefined && gist(error) === gist(other);
}

/** The stop of the run, if it was stopped. */
type Outcome = Promise<RunStopped | undefined>;

/** Finds the ids that the service refuses, so that they do not hold up the others. */
export class BatchSplitter {
	private extraRequests = MOST_EXTRA_REQUESTS;

	constructor(private readonly deletion: Deletion) {}

	/**
	 * Deletes a batch, and takes what the service refuses apart until the ids that it refuses stand
	 * alone, as long as extra requests are left. A refusal that names no id may be about all of them:
	 * then nothing is taken apart unless one of a few fares better alone. Notes why ids were not deleted.
	 */
	async deleteAllowed(ids: readonly number[]): Outcome {
		const error = await this.deletion.delete(ids);
		if (error === undefined || error instanceof RunStopped) return error;
		const mayBeAboutAll = ids.length >= SMALLEST_PROBED && namedIn(error, ids).length === 0;
		if (!mayBeAboutAll || !isAboutSome(error, ids)) return await this.goOn(error, ids);
		return await this.probe(error, ids);
	}

	private async probe(error: UserFacingError, ids: readonly number[]): Outcome {
		const probed = PROBED.map((place) => Math.floor(ids.length * place));
		const left = [...ids];
		for (const id of ids.filter((_id, place) => probed.includes(place))) {
			if (!this.mayAsk(1)) return this.deletion.noteError(undecided(error, SEARCH_ENDED), left);
			const alone = await this.deletion.delete([id]);
			if (alone instanceof RunStopped) return alone;
			left.splice(left.indexOf(id), 1);
			if (alone !== undefined) this.deletion.noteError(alone, [id]);
			if (!isAlike(alone, error)) return await this.takeApart(error, left);
		}
		return this.deletion.noteError(undecided(error, ALL_ALIKE), left);
	}

	private async goOn(error: UserFacingError, ids: readonly number[]): Outcome {
		if (isAboutSome(error, ids)) return await this.takeApart(error, ids);
		return this.deletion.noteError(error, ids);
	}

	private async takeApart(error: UserFacingError, ids: readonly number[]): Outcome {
		if (!this.mayAsk(2)) return this.deletion.noteError(undecided(error, SEARCH_ENDED), ids);
		for (const part of partsOf(ids, error)) {
			const refusal = await this.deletion.delete(part);
			const stop = refusal instanceof UserFacingError ? await this.goOn(refusal, part) : refusal;
			if (stop !== undefined) return stop;
		}
		return undefined;
	}

	private mayAsk(requests: number): boolean {
		if (this.extraRequests < requests) return false;
		this.extraRequests -= requests;
		return true;
	}
}
