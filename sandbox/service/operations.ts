import type { Context } from 'openapi-backend';

import {
	api,
	type ContractRequest,
	hasPlainId,
	isDeclared,
	parseBody,
	toViolations,
} from './contract';
import type { SandboxSettings } from './control';
import type { SettableProperties, StoredInstance } from './instance';
import { type Address, toInstance, type View, withParsedSnapshot } from './representation';
import { type ApiResponse, detail, json } from './response';
import { automaticName, findProcess } from './seed';
import type { InstanceStore } from './store';

/** What the operations work with. */
export interface Service {
	store: InstanceStore;
	address: Address;
	apiKey: string;
	/** A key that is known but may do nothing. */
	forbiddenKey: string;
	settings(): SandboxSettings;
}

const notFound = () => detail(404, 'Not found.');

function keyRefusal({ request }: Context, { forbiddenKey }: Service): ApiResponse {
	const { authorization } = request.headers;
	if (authorization === `Api-Key ${forbiddenKey}`) {
		return detail(403, 'You do not have permission to perform this action.');
	}
	const text = authorization ? 'Invalid API key.' : 'Authentication credentials were not provided.';
	return detail(401, text, { 'www-authenticate': 'Api-Key' });
}

/** Messages by field, each with the place within the field. */
function validationRefusal({ validation }: Context): ApiResponse {
	const messages: Record<string, string[]> = {};
	for (const { at, demand } of toViolations(validation.errors)) {
		const [, field, ...rest] = at;
		if (field === undefined) return detail(400, `The request body ${demand}.`);
		const text = [...rest, demand].join(' ');
		Object.defineProperty(messages, field, {
			value: [...(Object.hasOwn(messages, field) ? (messages[field] ?? []) : []), text],
			enumerable: true,
			configurable: true,
		});
	}
	return json(400, messages);
}

/** The operation on the instance in the path, if it exists. */
const onInstance =
	(work: (context: Context, service: Service, stored: StoredInstance) => ApiResponse) =>
	(context: Context, service: Service): ApiResponse => {
		const stored = service.store.find(Number(context.request.params.id));
		return stored ? work(context, service, stored) : notFound();
	};

function show({ address, settings }: Service, stored: StoredInstance, view?: View): ApiResponse {
	const instance = toInstance(stored, address, view);
	return json(200, settings().snapshotShape === 'text' ? instance : withParsedSnapshot(instance));
}

/** Replaces all values. Rejects what only the service can know. */
function update({ request }: Context, service: Service, stored: StoredInstance): ApiResponse {
	const { process: uri, ...settable }: SettableProperties = request.requestBody;
	const prefix = `${service.address.baseUrl}/processes/`;
	const processId = uri.startsWith(prefix) ? Number.parseInt(uri.slice(prefix.length), 10) : NaN;
	const process = findProcess(processId);
	if (!process) return json(400, { process: ['Invalid hyperlink. There is no such workflow.'] });
	if (process.automaticNaming) {
		const message = 'The workflow has automatic naming enabled. Leave the name empty, null or out.';
		if (settable.name) return json(400, { name: [message] });
		settable.name = automaticName(process, stored.id, settable.deadline);
	}
	return show(service, service.store.replace(stored, processId, settable));
}

function deleteInstances({ request }: Context, { store, settings }: Service): ApiResponse {
	const ids: number[] = request.requestBody.ids;
	const isRefused = settings().unknownIds === 'refused';
	const unknown = isRefused ? ids.filter((id) => !store.find(id)) : [];
	if (unknown.length > 0) {
		return json(400, { ids: unknown.map((id) => `Instance ${id} does not exist.`) });
	}
	store.remove(ids);
	return { status: 204, headers: {}, body: '' };
}

api.registerSecurityHandler(
	'apiKey',
	({ request }: Context, { apiKey }: Service) =>
		request.headers.authorization === `Api-Key ${apiKey}`,
);
api.register({
	notFound,
	methodNotAllowed: ({ request }: Context) =>
		detail(405, `Method "${request.method.toUpperCase()}" not allowed.`),
	unauthorizedHandler: keyRefusal,
	validationFail: validationRefusal,
	getInstance: onInstance(({ request: { query } }, service, stored) => {
		const injectValues = Boolean(query.inject_values);
		return show(service, stored, { injectValues, stepsTimeFrame: Boolean(query.steps_time_frame) });
	}),
	updateInstance: onInstance(update),
	deleteInstances,
});

/** Does what a request under `/api` asks for. */
export async function respond(service: Service, request: ContractRequest): Promise<ApiResponse> {
	const { method, path, headers } = request;
	if (!hasPlainId(path)) return notFound();
	if (!isDeclared(request)) {
		return detail(415, `Unsupported media type "${String(headers['content-type'])}" in request.`);
	}
	const authorization = String(headers.authorization ?? '');
	const sent = { 'content-type': 'application/json', authorization };
	const body = parseBody(request.body);
	const response: ApiResponse = await api.handleRequest(
		{ method, path, headers: sent, body },
		service,
	);
	return response;
}
