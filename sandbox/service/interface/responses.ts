import type { FieldMessages } from './fieldMessages';

/** A response before it is sent. */
export interface ApiResponse {
	status: number;
	headers: Record<string, string>;
	/** Body text; empty for none. */
	body: string;
}

/** A value as JSON. */
export function json(
	status: number,
	value: object,
	headers: Record<string, string> = {},
): ApiResponse {
	return {
		status,
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(value),
	};
}

/** A rejection that isn't about a single field. */
export function detail(
	status: number,
	text: string,
	headers: Record<string, string> = {},
): ApiResponse {
	return json(status, { detail: text }, headers);
}

/** 400 with the messages of the fields. */
export function refused(messages: FieldMessages): ApiResponse {
	return json(400, messages);
}

/** 204 without a body. */
export function noContent(): ApiResponse {
	return { status: 204, headers: {}, body: '' };
}

/** 404 as the interface's service has it. */
export function notFound(): ApiResponse {
	return detail(404, 'Not found.');
}

/** 404 as a web site has it, for every path outside of the interface. */
export function htmlNotFound(): ApiResponse {
	return {
		status: 404,
		headers: { 'content-type': 'text/html; charset=utf-8' },
		body:
			'<!doctype html>\n<html lang="en">\n<head><title>Page not found</title></head>\n' +
			'<body><h1>Page not found</h1><p>There is no page at this address.</p></body>\n</html>\n',
	};
}
