import type { FieldMessages } from './fieldMessages';

/** An answer before it is sent. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	/** Body text; empty for none. */
	body: string;
	/** The value behind a JSON body, so that it need not be parsed again. */
	value?: unknown;
}

/** Answers a value as JSON. */
export function json(status: number, value: object, headers: Record<string, string> = {}): Answer {
	return {
		status,
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(value),
		value,
	};
}

/** Answers a refusal that concerns no single field. */
export function detail(status: number, text: string, headers: Record<string, string> = {}): Answer {
	return json(status, { detail: text }, headers);
}

/** Answers 400 with the messages of the fields. */
export function refused(messages: FieldMessages): Answer {
	return json(400, messages);
}

/** Answers 204 without a body. */
export function noContent(): Answer {
	return { status: 204, headers: {}, body: '' };
}

/** Answers 404 as the interface's service does. */
export function notFound(): Answer {
	return detail(404, 'Not found.');
}

/** Answers 404 as a web site does, for every path outside of the interface. */
export function htmlNotFound(): Answer {
	return {
		status: 404,
		headers: { 'content-type': 'text/html; charset=utf-8' },
		body:
			'<!doctype html>\n<html lang="en">\n<head><title>Page not found</title></head>\n' +
			'<body><h1>Page not found</h1><p>There is no page at this address.</p></body>\n</html>\n',
	};
}
