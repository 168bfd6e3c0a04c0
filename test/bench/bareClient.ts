import type { ServiceProcess } from './service';

/**
 * Deletes instances with `fetch`, batch after batch, without n8n: less than that is not possible.
 *
 * @param size ids in one request
 * @returns the milliseconds that it took
 * @throws Error when the service refuses
 */
export async function bareDelete(
	{ baseUrl, apiKey }: ServiceProcess,
	ids: number[],
	size: number,
): Promise<number> {
	const started = performance.now();
	for (let start = 0; start < ids.length; start += size) {
		const response = await fetch(`${baseUrl}/instances/bulk/delete`, {
			method: 'POST',
			headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ ids: ids.slice(start, start + size) }),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`The deletion was answered ${response.status}: ${text}`);
	}
	return performance.now() - started;
}
