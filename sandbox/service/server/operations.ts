import type { StoredInstance } from '../data/model';
import { toDriftedInstance, toInstance } from '../data/representation';
import type { Address } from '../data/representation';
import type { SnapshotOptions } from '../data/snapshot';
import type { InstanceStore } from '../data/store';
import { readUpdate } from '../data/updates';
import type { CheckedRequest, Contract } from '../interface/contract';
import { toFieldMessages } from '../interface/fieldMessages';
import { detail, json, noContent, notFound, refused } from '../interface/responses';
import type { ApiResponse } from '../interface/responses';
import type { Violation } from '../interface/violations';
import type { ApiRequest } from './exchange';
import type { SandboxSettings } from './settings';

/** What the service works with. */
export interface ApiContext {
	store: InstanceStore;
	contract: Contract;
	address: Address;
	settings: () => SandboxSettings;
	apiKey: string;
	forbiddenKey: string;
}

const CHALLENGE = { 'www-authenticate': 'Api-Key' };

function keyRefusal({ headers }: ApiRequest, context: ApiContext): ApiResponse | undefined {
	const { authorization } = headers;
	if (authorization === undefined) {
		return detail(401, 'Authentication credentials were not provided.', CHALLENGE);
	}
	if (authorization === `Api-Key ${context.apiKey}`) return undefined;
	return authorization === `Api-Key ${context.forbiddenKey}`
		? detail(403, 'You do not have permission to perform this action.')
		: detail(401, 'Invalid API key.', CHALLENGE);
}

/** Rejects what the description doesn't allow, in the words of the service. */
function requestRefusal(all: readonly Violation[]): ApiResponse | undefined {
	// The key itself was checked before, whatever its form.
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

function showInstance(
	{ address, settings }: ApiContext,
	stored: StoredInstance,
	options?: SnapshotOptions,
): ApiResponse {
	const shape = settings().snapshotShape;
	return json(
		200,
		shape === 'text'
			? toInstance(stored, address, options)
			: toDriftedInstance(stored, address, shape, options),
	);
}

function updateInstance(
	context: ApiContext,
	stored: StoredInstance,
	{ body }: CheckedRequest,
): ApiResponse {
	const update = readUpdate(body, stored.id);
	if ('messages' in update) return refused(update.messages);
	return showInstance(context, context.store.replace(stored, update.processId, update.settable));
}

function deleteInstances({ store, settings }: ApiContext, { body }: CheckedRequest): ApiResponse {
	const ids: number[] = body.ids;
	const isRefused = settings().unknownIds === 'refused';
	const unknown = isRefused ? ids.filter((id) => !store.find(id)) : [];
	if (unknown.length > 0) {
		return refused({ ids: unknown.map((id) => `Instance ${id} does not exist.`) });
	}
	store.remove(ids);
	return noContent();
}

function perform(context: ApiContext, request: CheckedRequest, operationId?: string): ApiResponse {
	const refusal = requestRefusal(request.violations);
	if (operationId === 'deleteInstances') return refusal ?? deleteInstances(context, request);
	const stored = request.id === undefined ? undefined : context.store.find(request.id);
	if (!stored) return notFound();
	if (refusal) return refusal;
	return operationId === 'updateInstance'
		? updateInstance(context, stored, request)
		: showInstance(context, stored, optionsOf(request));
}

/** Does what a request under `/api` asks for. */
export function respond(context: ApiContext, request: ApiRequest): ApiResponse {
	const checked = context.contract.checkRequest({ ...request, path: request.url });
	const { match } = checked;
	if (match.kind === 'unknownPath') return notFound();
	const keyRefused = keyRefusal(request, context);
	if (keyRefused) return keyRefused;
	if (match.kind === 'operation') return perform(context, checked, match.operation.operationId);
	const allow = { allow: match.allowed.join(', ') };
	return detail(405, `Method "${request.method}" not allowed.`, allow);
}
