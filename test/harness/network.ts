import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';

const REQUEST_CREATED = 'http.client.request.created';

/** Watches each request that is sent from now on, until the returned function is called. */
export function watchRequests(see: (request: ClientRequest) => void): () => void {
	const listener = (message: unknown) => {
		const request: unknown = Reflect.get(Object(message), 'request');
		if (request instanceof ClientRequest) see(request);
	};
	subscribe(REQUEST_CREATED, listener);
	return () => void unsubscribe(REQUEST_CREATED, listener);
}
