import { doubted } from '../../api/errors';
import { isWebPage, serviceWords } from '../../api/response';
import { RunStopped } from '../../api/waits';
import type { Service } from '../../api/apiClient';
import type { Memory, NodeRun } from '../../n8n/nodeRun';
import { type Result, settle } from '../../n8n/outputItems';
import { shortened, UserFacingError } from '../../values/userFacingError';
import { unusableResponse } from '../readInstance';
import { leavesOpen } from './confirmation';
import type { ItemsById } from './idSource';

/** Statuses of rejections that may be about some of the IDs only. */
const ABOUT_SOME = new Set<string | undefined>(['400', '403', '404', '409', '422']);
/** Of those, the ones after which a service may have deleted the others. */
const PARTLY_DONE = new Set<string | undefined>(['404', '409', '410']);
const MAX_EXTRA_REQUESTS = 200;
// Each item of a request shows the words of its response.
const LONGEST_MESSAGE = 200;
const MAX_LISTED = 500;

const ACCEPTED =
	"If deleted is true, the service accepted the request. It doesn't confirm that each instance existed.";
const CONTINUE_TO_TAKE_APART =
	"To delete the rest anyway, set 'On Error' in the settings of this node to Continue. The node then finds the rejected IDs and deletes the others.";

/** Whether a rejection may be about some of the IDs, so that others could be deleted. */
function isAboutSome({ httpCode, isAboutKey, words }: UserFacingError, ids: number[]): boolean {
	return ids.length > 1 && words !== undefined && !isAboutKey && ABOUT_SOME.has(httpCode);
}

/** The rejection of a batch, for IDs of which nobody knows whether it is about them. */
function undecided(error: UserFacingError): UserFacingError {
	return error.with({
		message: `The batch that contains this ID was rejected. ${error.message}`,
		description: `Other IDs in the batch may be the reason. The node stopped looking for the rejected IDs after ${MAX_EXTRA_REQUESTS} extra requests. Run this node again with the remaining IDs. ${error.description}`,
	});
}

/** @returns the words of a response that leaves nothing open (docs/dev/service-interface.md#bulk-delete) */
async function requestDeletion(ids: number[], service: Service): Promise<string> {
	const subject = ids.length === 1 ? `instance ${ids[0]}` : `${ids.length} instances`;
	const part = ids.length === 1 ? subject : `one or more of ${subject}`;
	const request = { path: '/instances/bulk/delete', body: { ids }, subject, part };
	const response = await service.send({ method: 'POST', ...request });
	const { status } = response;
	if (isWebPage(response)) throw unusableResponse(response, subject, true);
	const words = serviceWords(response);
	if (!leavesOpen(response, ids)) return words;
	throw new UserFacingError(
		`The service did not confirm the deletion of ${subject} (${status}): ${words}`,
		"The response doesn't say what was deleted. Check in the service before you run this again.",
		{ httpCode: String(status), mayBeDone: true },
	);
}

function chunk(ids: number[], size: number): number[][] {
	const length = Math.ceil(ids.length / size);
	return Array.from({ length }, (_, index) => ids.slice(index * size, (index + 1) * size));
}

function listed(what: string, ids: number[]): string[] {
	if (ids.length === 0) return [];
	const more = ids.length > MAX_LISTED ? ` and ${ids.length - MAX_LISTED} more` : '';
	return [`${what}: ${ids.slice(0, MAX_LISTED).join(', ')}${more}.`];
}

/** What became of IDs over all attempts of Retry On Fail, in words and for the error's details. */
function outcomeOf(ids: Iterable<number>, { deleted, mayBeDone }: Memory) {
	const rest = [...ids].filter((id) => !deleted.has(id));
	const deletedIds = [...deleted];
	const notDeletedIds = rest.filter((id) => !mayBeDone.has(id));
	const uncertainIds = rest.filter((id) => mayBeDone.has(id));
	const sentences = [
		...listed('Deleted', deletedIds),
		...listed('Not deleted', notDeletedIds),
		...listed('Unknown', uncertainIds),
	];
	return { sentences, details: { deletedIds, notDeletedIds, uncertainIds } };
}

/** Deletes in batches, one after another, and stops at the first error unless the user chose to continue. */
export async function deleteInBatches(
	byId: ItemsById,
	{ batchSize, maxWait }: { batchSize: number; maxWait: number },
	{ connection, continues, hint, memory }: NodeRun,
): Promise<Result[]> {
	const service = await connection.open(maxWait);
	const { deleted, mayBeDone } = memory;
	/** Of each ID, why it was not deleted, or else the service's words, which may be empty. */
	const outcomes = new Map<number, UserFacingError | string>();
	let extraRequests = MAX_EXTRA_REQUESTS;

	/** Returns why the IDs were not deleted, or may not have been. */
	const deleteAtOnce = async (ids: number[]) => {
		const words = await settle(requestDeletion(ids, service));
		if (words instanceof Error) {
			const isPartlyDone =
				words instanceof UserFacingError && ids.length > 1 && PARTLY_DONE.has(words.httpCode);
			if (words.mayBeDone || isPartlyDone) ids.forEach((id) => mayBeDone.add(id));
			return words;
		}
		for (const id of ids) {
			deleted.add(id);
			mayBeDone.delete(id);
			outcomes.set(id, shortened(words, LONGEST_MESSAGE));
		}
		return undefined;
	};

	/** Halves IDs that the service rejected, until those that it rejects are alone. */
	const deleteByHalves = async (ids: number[], error: UserFacingError): Promise<void> => {
		const isDivisible = isAboutSome(error, ids);
		if (!isDivisible || extraRequests < 2) {
			const told = isDivisible ? undecided(error) : error;
			for (const id of ids) outcomes.set(id, mayBeDone.has(id) ? doubted(told) : told);
			return;
		}
		extraRequests -= 2;
		for (const half of chunk(ids, Math.ceil(ids.length / 2))) {
			const rejection = await deleteAtOnce(half);
			if (rejection instanceof UserFacingError) await deleteByHalves(half, rejection);
		}
	};

	const left = [...byId.keys()].filter((id) => !deleted.has(id));
	const batches = chunk(left, batchSize);
	for (const [index, batch] of batches.entries()) {
		const error = await deleteAtOnce(batch);
		if (error === undefined || error instanceof RunStopped) continue;
		if (continues) {
			await deleteByHalves(batch, error);
			continue;
		}
		const { sentences, details } = outcomeOf(byId.keys(), memory);
		if (isAboutSome(error, batch)) sentences.push(CONTINUE_TO_TAKE_APART);
		const place = batches.length > 1 ? `Batch ${index + 1} of ${batches.length}: ` : '';
		const message = `${place}${error.message}`;
		const description = [error.description, ...sentences].join(' ');
		const items = [...byId].flatMap(([id, named]) => (id === batch[0] ? named : []));
		return [{ items, error: error.with({ message, description, details }) }];
	}
	if (connection.signal.aborted) {
		const { sentences } = outcomeOf(byId.keys(), memory);
		connection.log('warn', ['Bulk Delete was stopped.', ...sentences].join(' '));
		throw new RunStopped();
	}
	hint(ACCEPTED);
	return [...byId].map(([id, items]) => {
		const outcome = outcomes.get(id) ?? '';
		if (outcome instanceof UserFacingError) return { items, error: outcome.with({ id }) };
		const message = outcome === '' ? {} : { serviceMessage: outcome };
		return { items, json: { id, deleted: true, ...message } };
	});
}
