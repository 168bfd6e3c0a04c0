import { type ICredentialDataDecryptedObject, NodeApiError } from 'n8n-workflow';

import { withTimeLimit } from '../api/clock';
import {
	assertKeyStaysHidden,
	bareKey,
	normalizeBaseUrl,
	requestsPerMinute,
} from '../api/credential';
import { schedulerFor } from '../api/rateLimiting/scheduler';
import { createRedact, type Redact } from '../api/redactor';
import { createService, type Service } from '../api/service';
import { asObject, withoutUndefined } from '../values/json';
import { asUserFacingError, UserFacingError, wordsOf } from '../values/userFacingError';
import type { HttpOptions } from './requestOptions';
import { createTransport, CREDENTIAL, type NodeContext } from './transport';

export type Connection = ReturnType<typeof createConnection>;

/** The size of a sample of the items, since n8n takes almost a millisecond to read a credential. */
const MOST_CHECKED = 10;

async function readCredential(context: NodeContext, itemIndex?: number) {
	return await context.getCredentials(CREDENTIAL, itemIndex).catch((cause: unknown) => {
		throw new UserFacingError(
			`n8n could not read the credential of this node: ${wordsOf(cause)}`,
			"In this node, select or create a 'Workflow Instance Service API' credential. If one is selected, check its expressions.",
		);
	});
}

function inOneSpelling({ baseUrl, apiKey, ...rest }: ICredentialDataDecryptedObject): string {
	return JSON.stringify([normalizeBaseUrl(baseUrl), bareKey(apiKey), rest]);
}

/**
 * Throws UserFacingError about a credential whose values differ between items, since all items use one. An expression
 * that uses the item has another value, or none, beyond the last item. If so, all are checked, otherwise only a sample.
 */
async function assertSameForAll(
	context: NodeContext,
	credential: ICredentialDataDecryptedObject,
	itemCount: number,
	signal: AbortSignal,
): Promise<void> {
	const expected = inOneSpelling(credential);
	const isSameFor = async (itemIndex: number) =>
		inOneSpelling(await readCredential(context, itemIndex)) === expected;
	const dependsOnItem = itemCount > 1 && !(await isSameFor(itemCount).catch(() => false));
	const step = dependsOnItem ? 1 : Math.ceil(itemCount / MOST_CHECKED);
	for (let itemIndex = itemCount - 1; itemIndex > 0 && !signal.aborted; itemIndex -= step) {
		if (await isSameFor(itemIndex)) continue;
		throw new UserFacingError(
			'The credential has different values for different items, so nothing was sent',
			"In one run, this node uses one 'Base URL' and one 'API Key'. Use a node and a credential for each service, or 'Loop Over Items' with a batch size of 1.",
		);
	}
}

/** By Stop, a time limit, or its first error. */
const STOPPED = new UserFacingError('The execution was stopped', '', { kind: 'stopped' });

interface ConnectionOptions {
	/** For a rejected key: a service may lock a key that keeps failing, so nothing more is sent with it. */
	memory?: { rejectedKey?: UserFacingError };
	itemCount?: number;
	/** Replaces the advice of an error that may pass by itself. */
	adviceIfTemporary?: string;
}

/** Prepares the connection of one execution, poll or list, which is opened when it is first needed. */
export function createConnection(
	context: NodeContext,
	{ memory = {}, itemCount = 1, adviceIfTemporary }: ConnectionOptions,
) {
	let redact: Redact = (text) => text;
	let connecting: ReturnType<typeof openConnection> | undefined;
	/** Its reason is the error of everything that isn't sent: `STOPPED`, or the one about the rejected key. */
	const stopping = new AbortController();
	const inFlight = new Set<AbortController>();
	const logged = new Set<unknown>();

	/** Permanently refuses every request that hasn't been sent yet. `close` aborts those in flight, too. */
	const refuseUnsent = () => stopping.abort(STOPPED);

	/** Ends the connection if the service rejects the key. The scheduler only knows that it ended, not why. */
	const rethrow = (cause: unknown) => {
		// Withdrawn isn't a failure: readThenWrite reads again.
		if (!(cause instanceof UserFacingError)) throw cause;
		if (cause.kind === 'key') {
			memory.rejectedKey ??= cause.with({ kind: 'notProcessed' });
			stopping.abort(memory.rejectedKey);
		}
		throw cause.kind === 'stopped' ? (memory.rejectedKey ?? cause) : cause;
	};

	const openConnection = async () => {
		const credential = await readCredential(context);
		const apiKey = bareKey(credential.apiKey);
		redact = createRedact(apiKey);
		await assertSameForAll(context, credential, itemCount, stopping.signal);
		const baseUrl = normalizeBaseUrl(credential.baseUrl);
		const perMinute = requestsPerMinute(credential);
		stopping.signal.throwIfAborted();
		const scheduler = schedulerFor(baseUrl, apiKey);
		const client = scheduler.join(perMinute, stopping.signal);
		if (memory.rejectedKey) stopping.abort(memory.rejectedKey);
		return {
			baseUrl,
			/** The service for some of the requests. If it rejects the key, the connection ends. */
			openService(http: () => HttpOptions, maxWait: number, pendingIds?: Set<number>): Service {
				assertKeyStaysHidden(credential, http());
				const transport = createTransport(context, { baseUrl, credential, http, redact, inFlight });
				const options = { baseUrl, transport, scheduler, client, maxWait, pendingIds };
				const { send } = createService(options);
				return { send: async (request) => await send(request).catch(rethrow) };
			},
		};
	};

	const log = (level: 'error' | 'warn', message: string) => {
		const { name: node } = context.getNode();
		const { id: workflowId } = context.getWorkflow();
		const executionId = context.getExecutionId();
		// In text format, n8n's log shows only the message.
		const ofExecution = executionId ? `, execution ${executionId}` : '';
		const line = `${node} (workflow ${workflowId}${ofExecution}): ${message}`;
		context.logger[level](redact(line), { node, workflowId, executionId });
	};

	/** An error as users see it, without the API key. The stack of an unexpected one is logged, once. */
	const forDisplay = (original: UserFacingError) => {
		const error = original.forReader(false);
		const { message, cause, isTemporary } = error;
		if (cause !== undefined && !logged.has(cause)) {
			logged.add(cause);
			const { stack = cause } = asObject(cause);
			log('error', `Unexpected error in Workflow Instance Service: ${String(stack)}`);
		}
		const advice = (isTemporary && adviceIfTemporary) || error.advice;
		return error.with({ message: redact(message), advice: redact(advice) });
	};

	return {
		refuseUnsent,
		log,
		forDisplay,
		/** Aborted when nothing more may be sent, with the error that says why. */
		signal: stopping.signal,
		/** Whether Stop, a time limit or the first error ended it. After a rejected key, each item still gets that error. */
		wasStopped: () => stopping.signal.reason === STOPPED,

		/** @throws UserFacingError when the credential can't be used, or it was stopped */
		connect: async () => await (connecting ??= openConnection()),

		/** Waits for work, however long it takes, but sends nothing more once the time is up. */
		async stopAfter<T>(milliseconds: number, work: Promise<T>): Promise<T> {
			await withTimeLimit(milliseconds, work, refuseUnsent);
			// What is in flight is still waited for.
			return await work;
		},

		/** n8n's error for anything thrown. n8n adds the item (docs/dev/n8n-engine.md#errors-that-stop-the-node). */
		nodeError(cause: unknown, itemIndex?: number): NodeApiError {
			const error = forDisplay(asUserFacingError(cause));
			const { message, advice: description, details, httpCode = null, id } = error;
			const options = { message, description, itemIndex };
			const nodeError = new NodeApiError(context.getNode(), {}, options);
			// n8n replaces a message that contains a word like ECONNRESET, but these are the service's words.
			Object.assign(nodeError, { message, httpCode });
			Object.assign(nodeError.context, details, withoutUndefined({ id }));
			return nodeError;
		},

		/** Aborts what is in flight, and frees what is shared with others. */
		close() {
			refuseUnsent();
			for (const request of inFlight) request.abort();
		},
	};
}
