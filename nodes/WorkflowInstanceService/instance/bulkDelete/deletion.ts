import type { ApiClient } from '../../api/apiClient';
import type { LineBounds } from '../../api/pace/line';
import { doubted } from '../../api/errors';
import { isWebPage, serviceWords } from '../../api/response';
import { RunStopped } from '../../api/pace/runStopped';
import type { Memory } from '../../n8n/nodeRun';
import { settle } from '../../n8n/outputItems';
import { parseJson } from '../../values/json';
import { shortened, UserFacingError } from '../../values/userFacingError';
import { unusableResponse } from '../response';
import { openIds } from './confirmation';

const MULTI_STATUS = 207;
/** The words of one response stand on each item of its request. */
const LONGEST_MESSAGE = 200;

/** What a response with success says. */
interface Confirmation {
	words: string;
	/** Of which IDs it does not say that they were deleted. */
	open: Set<number>;
	status: number;
}

function nameOf(ids: readonly number[]): string {
	const [first] = ids;
	return ids.length === 1 ? `instance ${first}` : `${ids.length} instances`;
}

function notConfirmed(ids: readonly number[], { status, words }: Confirmation): UserFacingError {
	return new UserFacingError(
		`The service did not confirm the deletion of ${nameOf(ids)} (${status}): ${words}`,
		"The response doesn't say what was deleted. Check in the service before you run this again.",
		{ httpCode: String(status), mayBeDone: true },
	);
}

/** The ids of a run on their way through the service. */
export class Deletion {
	/** Why ids were not deleted, or may not have been. */
	readonly errors = new Map<number, UserFacingError>();

	/** What the service said with its success, for the ids of the request. */
	readonly messages = new Map<number, string>();

	constructor(
		private readonly client: ApiClient,
		private readonly limits: LineBounds,
		private readonly memory: Memory,
	) {}

	/**
	 * Deletes ids by one request (docs/service-interface.md#bulk-delete).
	 *
	 * @returns why some were not deleted, or may not have been; undefined when all were
	 */
	async delete(ids: readonly number[]): Promise<UserFacingError | RunStopped | undefined> {
		const outcome = await settle(this.request(ids));
		if (outcome instanceof RunStopped || outcome instanceof UserFacingError) {
			if (outcome.mayBeDone) for (const id of ids) this.memory.mayBeDone.add(id);
			return outcome;
		}
		const { open, words } = outcome;
		for (const id of ids.filter((each) => !open.has(each))) this.noteDeleted(id, words);
		for (const id of open) this.memory.mayBeDone.add(id);
		return open.size === 0 ? undefined : notConfirmed([...open], outcome);
	}

	/** Notes why ids were not deleted, but for those that were. */
	noteError(error: UserFacingError, ids: readonly number[]): undefined {
		const { deleted, mayBeDone } = this.memory;
		for (const id of ids.filter((each) => !deleted.has(each))) {
			this.errors.set(id, mayBeDone.has(id) ? doubted(error) : error);
		}
	}

	private noteDeleted(id: number, words: string): void {
		this.memory.deleted.add(id);
		this.memory.mayBeDone.delete(id);
		if (words !== '') this.messages.set(id, shortened(words, LONGEST_MESSAGE));
	}

	private async request(ids: readonly number[]): Promise<Confirmation> {
		const subject = nameOf(ids);
		const names = { subject, part: ids.length === 1 ? subject : `one or more of ${subject}` };
		const response = await this.client.send(
			{ ...names, method: 'POST', path: '/instances/bulk/delete', body: { ids: [...ids] } },
			this.limits,
		);
		if (isWebPage(response)) throw unusableResponse(response, { ...names, changes: true });
		const { status } = response;
		const open = status === MULTI_STATUS ? new Set(ids) : openIds(parseJson(response.text), ids);
		return { words: serviceWords(response), open, status };
	}
}
