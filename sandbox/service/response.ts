/** A response before it is sent. */
export interface ApiResponse {
	status: number;
	headers: Record<string, string>;
	/** Body text; empty for none. */
	body: string;
}

/** A value as JSON. */
export const json = (
	status: number,
	value: object,
	headers: Record<string, string> = {},
): ApiResponse => ({
	status,
	headers: { 'content-type': 'application/json', ...headers },
	body: JSON.stringify(value),
});

/** A rejection that isn't about a single field. */
export const detail = (status: number, text: string, headers?: Record<string, string>) =>
	json(status, { detail: text }, headers);
