import { toDriftedInstance, toInstance } from '../data/representation';
import type { Address, SnapshotShape } from '../data/representation';
import type { SnapshotOptions } from '../data/snapshot';
import type { InstanceStore, StoredInstance } from '../data/store';
import { readIds, readUpdate } from '../data/updates';
import { detail, json, noContent, notFound, refused } from '../interface/answers';
import type { Answer } from '../interface/answers';
import type { CheckedRequest, Contract, HeaderMap } from '../interface/contract';
import { toFieldMessages } from '../interface/fieldMessages';
import type { Violation } from '../interface/violations';
import type { UnknownIds } from './control';

/** A request as it came in. */
export interface ApiRequest {
	method: string;
	/** Path with query, as sent. */
	url: string;
	headers: HeaderMap;
	/** Body text, empty for none. */
	body: string;
}

/** What the service works with. */
export interface ApiContext {
	store: InstanceStore;
	contract: Contract;
	address: Address;
	snapshotShape: () => SnapshotShape;
	unknownIds: () => UnknownIds;
	apiKey: string;
	forbiddenKey: string;
	/** The service's time in milliseconds since the epoch. */
	now: () => number;
}

interface Outcome {
	answer: Answer;
	/** The instance behind an answer that shows one. */
	stored?: StoredInstance;
}

const CHALLENGE = { 'www-authenticate': 'Api-Key' };

function keyRefusal({ headers }: ApiRequest, context: ApiContext): Answer | undefined {
	const { authorization } = headers;
	if (authorization === undefined) {
		return detail(401, 'Authentication credentials were not provided.', CHALLENGE);
	}
	if (authorization === `Api-Key ${context.apiKey}`) return undefined;
	return authorization === `Api-Key ${context.forbiddenKey}`
		? detail(403, 'You do not have permission to perform this action.')
		: detail(401, 'Invalid API key.', CHALLENGE);
}

/** Refuses what the description refuses, in the words of the service. */
function requestRefusal(all: readonly Violation[]): Answer | undefined {
	// The key itself has been judged before, whatever its form.
	const violations = all.filter(({ keyword }) => keyword !== 'authorization');
	const [first] = violations;
	if (!first) return undefined;
	switch (first.keyword) {
		case 'mediaType':
			return detail(415, `Unsupported media type "${first.params.mediaType}" in request.`);
		case 'parse':
			return detail(400, `JSON could not be read: ${first.params.reason}`);
		case 'surplus':
			return detail(400, 'This request takes no body.');
	}
	const isMissing = first.keyword === 'required' && first.at.join() === 'body';
	return isMissing
		? detail(400, 'A request body is required.')
		: refused(toFieldMessages(violations));
}

function optionsOf({ query }: CheckedRequest): SnapshotOptions {
	return {
		injectValues: query.inject_values === true,
		stepsTimeFrame: query.steps_time_frame === true,
	};
}

function updateInstance(context: ApiContext, stored: StoredInstance, body: unknown): Outcome {
	const update = readUpdate(body, stored.id);
	if ('messages' in update) return { answer: refused(update.messages) };
	const updated = context.store.replace(stored, update.properties, context.now());
	return { answer: json(200, toInstance(updated, context.address)), stored: updated };
}

function deleteInstances({ store, unknownIds }: ApiContext, ids: number[]): Answer {
	const unknown = unknownIds() === 'refused' ? ids.filter((id) => !store.find(id)) : [];
	if (unknown.length > 0) {
		return refused({ ids: unknown.map((id) => `Instance ${id} does not exist.`) });
	}
	store.remove(ids);
	return noContent();
}

function perform(context: ApiContext, request: CheckedRequest, operationId?: string): Outcome {
	const refusal = requestRefusal(request.violations);
	if (operationId === 'deleteInstances') {
		return { answer: refusal ?? deleteInstances(context, readIds(request.body)) };
	}
	const stored = request.id === undefined ? undefined : context.store.find(request.id);
	if (!stored) return { answer: notFound() };
	if (refusal) return { answer: refusal };
	if (operationId === 'updateInstance') return updateInstance(context, stored, request.body);
	return { answer: json(200, toInstance(stored, context.address, optionsOf(request))), stored };
}

/** Guards the promise that each answer follows the description; a breach is a bug of the sandbox. */
function checkAnswer({ contract }: ApiContext, request: ApiRequest, answer: Answer): Answer {
	const { method, url: path } = request;
	const { status, value: body } = answer;
	const violations = contract.validateResponse({ method, path, status, body });
	if (violations.length === 0) return answer;
	const list = violations.map(({ message }) => message).join('; ');
	return detail(500, `The sandbox's own answer does not follow openapi.yaml: ${list}`);
}

/** Does what a request under `/api` asks for, and gives the proper answer. */
export function answerApi(context: ApiContext, request: ApiRequest): Answer {
	const checked = context.contract.checkRequest({ ...request, path: request.url });
	const { match } = checked;
	if (match.kind === 'unknownPath') return notFound();
	const keyRefused = keyRefusal(request, context);
	if (match.kind === 'wrongMethod') {
		const allow = { allow: match.allowed.join(', ') };
		return keyRefused ?? detail(405, `Method "${request.method}" not allowed.`, allow);
	}
	const { operationId } = match.operation;
	const { answer: proper, stored }: Outcome = keyRefused
		? { answer: keyRefused }
		: perform(context, checked, operationId);
	const answer = checkAnswer(context, request, proper);
	const shape = context.snapshotShape();
	if (shape === 'text' || answer.status !== 200 || !stored) return answer;
	return json(200, toDriftedInstance(stored, context.address, optionsOf(checked), shape));
}
