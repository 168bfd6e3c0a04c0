import { doubted } from '../../api/errors';
import { RunStopped } from '../../api/pace/runStopped';
import { isWebPage, serviceWords } from '../../api/response';
import type { Service } from '../../n8n/connection';
import type { Memory } from '../../n8n/nodeRun';
import { settle } from '../../n8n/outputItems';
import { parseJson } from '../../values/json';
import { shortened, UserFacingError } from '../../values/userFacingError';
import { unusableResponse } from '../readInstance';
import { leavesOpen } from './confirmation';

/** Statuses of rejections that may be about some of the IDs only. */
const ABOUT_SOME = new Set<string | undefined>(['400', '403', '404', '409', '422']);
const MULTI_STATUS = 207;
const MAX_EXTRA_REQUESTS = 200;
/** The words of one response are on each item of its request. */
const LONGEST_MESSAGE = 200;

/** Whether a rejection may be about some of the IDs, so that others could be deleted. */
export function isAboutSome({ httpCode, words }: UserFacingError, ids: number[]): boolean {
	return ids.length > 1 && words !== undefined && ABOUT_SOME.has(httpCode);
}

/** The rejection of a batch, for IDs of which nobody knows whether it is about them. */
function undecided(error: UserFacingError): UserFacingError {
	return error.with({
		message: `The batch that contains this ID was rejected. ${error.message}`,
		description: `Other IDs in the batch may be the reason. The node stopped looking for the rejected IDs after ${MAX_EXTRA_REQUESTS} extra requests. Run this node again with the remaining IDs. ${error.description}`,
	});
}

/** Deletes the IDs of a run, and notes what came of each. */
export class Deletion {
	/** For each ID that was sent, why it was not deleted, or else the service's words, which may be empty. */
	readonly outcomes = new Map<number, UserFacingError | string>();

	private extraRequests = MAX_EXTRA_REQUESTS;

	constructor(
		private readonly service: Service,
		private readonly memory: Memory,
	) {}

	/**
	 * Deletes a batch with one request (docs/dev/service-interface.md#bulk-delete).
	 *
	 * @returns why it was not deleted, or may not have been
	 * @throws RunStopped
	 */
	async delete(ids: number[]): Promise<UserFacingError | undefined> {
		const { deleted, mayBeDone } = this.memory;
		const words = await settle(this.request(ids));
		if (words instanceof Error) {
			if (words.mayBeDone) ids.forEach((id) => mayBeDone.add(id));
			if (words instanceof RunStopped) throw words;
			return words;
		}
		for (const id of ids) {
			deleted.add(id);
			mayBeDone.delete(id);
			this.outcomes.set(id, shortened(words, LONGEST_MESSAGE));
		}
		return undefined;
	}

	/**
	 * Deletes a batch. If the service rejects it, halves it until the IDs that it rejects are alone, as
	 * long as extra requests are left. Notes why IDs were not deleted.
	 */
	async deleteByHalves(ids: number[]): Promise<undefined> {
		const error = await this.delete(ids);
		if (error === undefined) return;
		if (!isAboutSome(error, ids)) return this.noteError(error, ids);
		if (this.extraRequests < 2) return this.noteError(undecided(error), ids);
		this.extraRequests -= 2;
		const middle = Math.ceil(ids.length / 2);
		await this.deleteByHalves(ids.slice(0, middle));
		await this.deleteByHalves(ids.slice(middle));
	}

	private noteError(error: UserFacingError, ids: number[]): undefined {
		for (const id of ids) {
			this.outcomes.set(id, this.memory.mayBeDone.has(id) ? doubted(error) : error);
		}
	}

	/** @returns the words of a response that leaves nothing open */
	private async request(ids: number[]): Promise<string> {
		const subject = ids.length === 1 ? `instance ${ids[0]}` : `${ids.length} instances`;
		const part = ids.length === 1 ? subject : `one or more of ${subject}`;
		const path = '/instances/bulk/delete';
		const request = { method: 'POST', path, body: { ids }, subject, part } as const;
		const response = await this.service.send(request);
		const { status, text } = response;
		if (isWebPage(response)) throw unusableResponse(response, subject, true);
		const words = serviceWords(response);
		if (status !== MULTI_STATUS && !leavesOpen(parseJson(text), ids)) return words;
		throw new UserFacingError(
			`The service did not confirm the deletion of ${subject} (${status}): ${words}`,
			"The response doesn't say what was deleted. Check in the service before you run this again.",
			{ httpCode: String(status), mayBeDone: true },
		);
	}
}
