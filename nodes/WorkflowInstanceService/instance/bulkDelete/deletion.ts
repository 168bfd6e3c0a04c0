import type { ApiClient, RequestLimits } from '../../api/apiClient';
import { doubted } from '../../api/errors';
import { RunStopped } from '../../api/runStopped';
import {
	isWebPage,
	reportsRejection,
	type ServiceResponse,
	serviceWords,
} from '../../api/response';
import type { Memory } from '../../n8n/nodeRun';
import { settle } from '../../n8n/outputItems';
import { parseJson } from '../../values/json';
import { UserFacingError } from '../../values/userFacingError';
import { unusableResponse } from '../response';

/** Refusals that may be about some of the ids only. */
const ABOUT_SOME = new Set(['400', '403', '404', '409', '422']);
const MOST_EXTRA_REQUESTS = 200;
const MULTI_STATUS = 207;

/** What to do where the node stops at such a refusal. */
export const CONTINUE_TO_TAKE_APART =
	"To delete the others all the same, set 'On Error' in the settings of this node to Continue. The node then finds the refused IDs and deletes the rest.";

/** Whether a refusal may be about some of the ids, so that others could be deleted. */
export function isAboutSome({ httpCode = '' }: UserFacingError, ids: readonly number[]): boolean {
	return ids.length > 1 && ABOUT_SOME.has(httpCode);
}

function refusedInSuccess(
	{ status }: ServiceResponse,
	subject: string,
	words: string,
): UserFacingError {
	return new UserFacingError(
		`The service did not carry out the whole deletion of ${subject} (${status}): ${words}`,
		'The response does not say which ones were deleted. Check them in the service.',
		{ httpCode: String(status), mayBeDone: true },
	);
}

/** The ids of a run on their way through the service. */
export class Deletion {
	/** Why ids were not deleted, or may not have been. */
	readonly errors = new Map<number, UserFacingError>();

	/** What the service said with its success, for the ids of the request. */
	readonly messages = new Map<number, string>();

	private extraRequests = MOST_EXTRA_REQUESTS;

	constructor(
		private readonly client: ApiClient,
		private readonly limits: RequestLimits,
		private readonly memory: Memory,
	) {}

	/**
	 * Deletes ids by one request (docs/service-interface.md#bulk-delete).
	 *
	 * @returns why they were not deleted, or may not have been; undefined when they were
	 */
	async delete(ids: readonly number[]): Promise<UserFacingError | RunStopped | undefined> {
		const words = await settle(this.request(ids));
		if (typeof words === 'string') return this.noteDeleted(ids, words);
		if (words.mayBeDone) for (const id of ids) this.memory.mayBeDone.add(id);
		return words;
	}

	/**
	 * Deletes ids, and takes what the service refuses apart by halves until the ids that it refuses stand
	 * alone, as long as extra requests are left. Notes why ids were not deleted.
	 *
	 * @returns the stop of the run, if it was stopped
	 */
	async deleteAllowed(ids: readonly number[]): Promise<RunStopped | undefined> {
		const error = await this.delete(ids);
		if (error === undefined || error instanceof RunStopped) return error;
		if (!isAboutSome(error, ids) || this.extraRequests < 2) return this.noteError(error, ids);
		this.extraRequests -= 2;
		const middle = Math.ceil(ids.length / 2);
		return (
			(await this.deleteAllowed(ids.slice(0, middle))) ??
			(await this.deleteAllowed(ids.slice(middle)))
		);
	}

	private noteDeleted(ids: readonly number[], words: string): undefined {
		for (const id of ids) {
			this.memory.deleted.add(id);
			this.memory.mayBeDone.delete(id);
			if (words !== '') this.messages.set(id, words);
		}
	}

	private noteError(error: UserFacingError, ids: readonly number[]): undefined {
		for (const id of ids) {
			this.errors.set(id, this.memory.mayBeDone.has(id) ? doubted(error) : error);
		}
	}

	private async request(ids: readonly number[]): Promise<string> {
		const [first] = ids;
		const several = `${ids.length} instances`;
		const names =
			ids.length === 1
				? { subject: `instance ${first}` }
				: { subject: several, part: `one or more of ${several}` };
		const response = await this.client.send(
			{ ...names, method: 'POST', path: '/instances/bulk/delete', body: { ids: [...ids] } },
			this.limits,
		);
		if (isWebPage(response)) throw unusableResponse(response, { ...names, changes: true });
		const words = serviceWords(response);
		if (response.status === MULTI_STATUS || reportsRejection(parseJson(response.text))) {
			throw refusedInSuccess(response, names.subject, words);
		}
		return words;
	}
}
