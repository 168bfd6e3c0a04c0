import type { RequestLimits } from '../../api/apiRequest';
import { doubted, RunStopped } from '../../api/errors';
import { isWebPage, serviceWords } from '../../api/response';
import type { Service } from '../../n8n/connection';
import type { Memory, NodeRun } from '../../n8n/nodeRun';
import { type Result, settle } from '../../n8n/outputItems';
import { parseJson } from '../../values/json';
import { shortened, UserFacingError } from '../../values/userFacingError';
import { unusableResponse } from '../readInstance';
import { leavesOpen } from './confirmation';
import type { ItemsById } from './idSource';

/** Statuses of rejections that may be about some of the IDs only. */
const ABOUT_SOME = new Set<string | undefined>(['400', '403', '404', '409', '422']);
const MULTI_STATUS = 207;
const MAX_EXTRA_REQUESTS = 200;
/** The words of one response are on each item of its request. */
const LONGEST_MESSAGE = 200;
const MAX_LISTED = 500;

const ACCEPTED =
	"If deleted is true, the service accepted the request. It doesn't confirm that each instance existed.";
const CONTINUE_TO_TAKE_APART =
	"To delete the rest anyway, set 'On Error' in the settings of this node to Continue. The node then finds the rejected IDs and deletes the others.";

/** Whether a rejection may be about some of the IDs, so that others could be deleted. */
function isAboutSome({ httpCode, words }: UserFacingError, ids: number[]): boolean {
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
class Deletion {
	/** For each ID that was sent, why it was not deleted, or else the service's words, which may be empty. */
	readonly outcomes = new Map<number, UserFacingError | string>();

	private extraRequests = MAX_EXTRA_REQUESTS;

	constructor(
		private readonly service: Service,
		private readonly memory: Memory,
	) {}

	/** Deletes IDs with one request, or throws why they were not deleted, or may not have been. */
	async delete(ids: number[]): Promise<void> {
		const { deleted, mayBeDone } = this.memory;
		const words = await settle(this.request(ids));
		if (words instanceof Error) {
			if (words.mayBeDone) ids.forEach((id) => mayBeDone.add(id));
			throw words;
		}
		for (const id of ids) {
			deleted.add(id);
			mayBeDone.delete(id);
			this.outcomes.set(id, shortened(words, LONGEST_MESSAGE));
		}
	}

	/** Deletes IDs; where the service rejects them, halves them until those that it rejects are alone. */
	async deleteByHalves(ids: number[]): Promise<void> {
		const error = await settle(this.delete(ids));
		if (error === undefined) return;
		if (error instanceof RunStopped) throw error;
		const isDivisible = isAboutSome(error, ids);
		if (isDivisible && this.extraRequests >= 2) {
			this.extraRequests -= 2;
			const middle = Math.ceil(ids.length / 2);
			await this.deleteByHalves(ids.slice(0, middle));
			await this.deleteByHalves(ids.slice(middle));
			return;
		}
		const told = isDivisible ? undecided(error) : error;
		for (const id of ids) {
			this.outcomes.set(id, this.memory.mayBeDone.has(id) ? doubted(told) : told);
		}
	}

	/** @returns the words of a response that leaves nothing open (docs/dev/service-interface.md#bulk-delete) */
	private async request(ids: number[]): Promise<string> {
		const subject = ids.length === 1 ? `instance ${ids[0]}` : `${ids.length} instances`;
		const part = ids.length === 1 ? subject : `one or more of ${subject}`;
		const request = { path: '/instances/bulk/delete', body: { ids }, subject, part };
		const response = await this.service.send({ method: 'POST', ...request });
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

function listed(ids: number[]): string {
	const more = ids.length > MAX_LISTED ? ` and ${ids.length - MAX_LISTED} more` : '';
	return `${ids.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** What became of IDs over all attempts of Retry On Fail, in words and for the error's details. */
function outcomeOf(ids: Iterable<number>, { deleted, mayBeDone }: Memory) {
	const rest = [...ids].filter((id) => !deleted.has(id));
	const deletedIds = [...deleted];
	const notDeletedIds = rest.filter((id) => !mayBeDone.has(id));
	const uncertainIds = rest.filter((id) => mayBeDone.has(id));
	const outcomes = { Deleted: deletedIds, 'Not deleted': notDeletedIds, Unknown: uncertainIds };
	const sentences = Object.entries(outcomes)
		.filter(([, some]) => some.length > 0)
		.map(([what, some]) => `${what}: ${listed(some)}.`);
	return { sentences, details: { deletedIds, notDeletedIds, uncertainIds } };
}

/** Deletes in batches, one after another, and stops at the first error, unless the user chose to continue. */
export async function deleteInBatches(
	byId: ItemsById,
	{ batchSize, limits }: { batchSize: number; limits: RequestLimits },
	{ connection, continues, hint, memory }: NodeRun,
): Promise<Result[]> {
	const deletion = new Deletion(await connection.open(limits), memory);
	const ids = [...byId.keys()].filter((id) => !memory.deleted.has(id));
	const count = Math.ceil(ids.length / batchSize);
	for (let number = 1; number <= count; number++) {
		const batch = ids.slice((number - 1) * batchSize, number * batchSize);
		const deleting = continues ? deletion.deleteByHalves(batch) : deletion.delete(batch);
		const error = await settle(deleting);
		if (error === undefined) continue;
		const { sentences, details } = outcomeOf(byId.keys(), memory);
		if (error instanceof RunStopped) {
			connection.log('warn', ['Bulk Delete was stopped.', ...sentences].join(' '));
			throw error;
		}
		if (isAboutSome(error, batch)) sentences.push(CONTINUE_TO_TAKE_APART);
		const message = count === 1 ? error.message : `Batch ${number} of ${count}: ${error.message}`;
		const description = [error.description, ...sentences].join(' ');
		const items = [...byId].flatMap(([id, named]) => (id === batch[0] ? named : []));
		return [{ items, error: error.with({ message, description, details }) }];
	}
	hint(ACCEPTED);
	return [...byId].map(([id, items]) => {
		const outcome = deletion.outcomes.get(id) ?? '';
		if (outcome instanceof UserFacingError) return { items, error: outcome.with({ id }) };
		const message = outcome === '' ? {} : { serviceMessage: outcome };
		return { items, json: { id, deleted: true, ...message } };
	});
}
