import type { ServiceProcess } from './service';

type Access = Pick<ServiceProcess, 'baseUrl' | 'apiKey'>;
type Send = (method: string, path: string, body?: unknown) => Promise<unknown>;

function sender({ baseUrl, apiKey }: Access): Send {
	return async (method, path, body) => {
		const response = await fetch(`${baseUrl}${path}`, {
			method,
			headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
		return text === '' ? undefined : JSON.parse(text);
	};
}

/** Runs tasks over a list, a number of them at the same time. */
async function inParallel<T>(list: T[], bound: number, task: (one: T) => Promise<unknown>) {
	const rest = list.values();
	const worker = async () => {
		for (const one of rest) await task(one);
	};
	await Promise.all(Array.from({ length: bound }, worker));
}

async function timed(task: () => Promise<void>): Promise<number> {
	const start = performance.now();
	await task();
	return performance.now() - start;
}

/** Reads instances with `fetch`, `bound` at a time; gives the milliseconds that it took. */
export async function bareGet(access: Access, ids: number[], bound: number): Promise<number> {
	const send = sender(access);
	return await timed(async () => {
		await inParallel(ids, bound, async (id) => await send('GET', `/instances/${id}/`));
	});
}

/** Replaces instances with `fetch`, `bound` at a time; gives the milliseconds that it took. */
export async function barePut(
	access: Access,
	ids: number[],
	bound: number,
	body: (id: number) => object,
): Promise<number> {
	const send = sender(access);
	return await timed(async () => {
		await inParallel(ids, bound, async (id) => await send('PUT', `/instances/${id}/`, body(id)));
	});
}

/** Deletes instances with `fetch`, batch after batch; gives the milliseconds that it took. */
export async function bareDelete(access: Access, ids: number[], size: number): Promise<number> {
	const send = sender(access);
	return await timed(async () => {
		for (let start = 0; start < ids.length; start += size) {
			await send('POST', '/instances/bulk/delete', { ids: ids.slice(start, start + size) });
		}
	});
}
