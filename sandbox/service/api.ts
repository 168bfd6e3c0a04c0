import { detail, json, noContent, notFound, refused } from './answers';
import type { Answer } from './answers';
import { toFieldMessages } from './fieldMessages';
import { toDriftedInstance, toInstance } from './representation';
import type { Address } from './representation';
import type { SnapshotOptions } from './snapshot';
import type { InstanceStore } from './store';
import type { SandboxSettings, StoredInstance } from './types';
import { readIds, readUpdate } from './updates';
import type { CheckedRequest, Contract, ContractMatch, HeaderMap } from './validation';
import type { Violation } from './violations';

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
	settings: () => SandboxSettings;
	apiKey: string;
	forbiddenKey: string;
	/** The service's time in milliseconds since the epoch. */
	now: () => number;
}

type OperationMatch = Extract<ContractMatch, { kind: 'operation' }>;

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

function bodyRefusal(violations: readonly Violation[]): Answer | undefined {
	const find = (keyword: string) => violations.find((each) => each.keyword === keyword);
	const mediaType = find('mediaType')?.params.mediaType;
	if (mediaType !== undefined) {
		return detail(415, `Unsupported media type "${String(mediaType)}" in request.`);
	}
	const reason = find('parse')?.params.reason;
	return reason === undefined
		? undefined
		: detail(400, `JSON could not be read: ${String(reason)}`);
}

/** Refuses what the description refuses, in the words of the service. */
function requestRefusal({ violations }: CheckedRequest): Answer | undefined {
	const ofBody = bodyRefusal(violations);
	if (ofBody) return ofBody;
	const missingBody = violations.find(({ where, at }) => where === 'body' && at.length === 0);
	if (missingBody?.keyword === 'required') return detail(400, 'A request body is required.');
	if (missingBody?.keyword === 'unknown') return detail(400, 'This request takes no body.');
	const ofFields = violations.filter(({ where }) => where === 'body' || where === 'query');
	return ofFields.length > 0 ? refused(toFieldMessages(ofFields)) : undefined;
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

function perform(context: ApiContext, request: CheckedRequest, match: OperationMatch): Outcome {
	const refusal = requestRefusal(request);
	if (match.operationId === 'deleteInstances') {
		if (!refusal) context.store.remove(readIds(request.body));
		return { answer: refusal ?? noContent() };
	}
	const stored = match.id === undefined ? undefined : context.store.find(match.id);
	if (!stored) return { answer: notFound() };
	if (refusal) return { answer: refusal };
	if (match.operationId === 'updateInstance') return updateInstance(context, stored, request.body);
	return { answer: json(200, toInstance(stored, context.address, optionsOf(request))), stored };
}

/** Guards the promise that each answer follows the description; a breach is a bug of the sandbox. */
function checkAnswer(context: ApiContext, request: ApiRequest, answer: Answer): Answer {
	const violations = context.contract.validateResponse({
		method: request.method,
		path: request.url,
		status: answer.status,
		headers: answer.headers,
		body: answer.value,
	});
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
	const outcome: Outcome = keyRefused ? { answer: keyRefused } : perform(context, checked, match);
	const answer = checkAnswer(context, request, outcome.answer);
	const { snapshotShape } = context.settings();
	if (snapshotShape === 'text' || answer.status !== 200 || !outcome.stored) return answer;
	const options = optionsOf(checked);
	return json(200, toDriftedInstance(outcome.stored, context.address, options, snapshotShape));
}
