import type { ApiRequest } from '../server/exchange';
import type { FaultAction, FaultRule, QueuedFault } from './rules';

const INSTANCE_PATH = /\/instances\/(\d+)\//;

function idsInBody(body: string): unknown[] {
	try {
		const value: { ids?: unknown } | null = JSON.parse(body);
		return Array.isArray(value?.ids) ? value.ids : [];
	} catch {
		return [];
	}
}

function concernsIds({ url, body }: ApiRequest, ids: readonly number[]): boolean {
	const inPath = INSTANCE_PATH.exec(url)?.[1];
	if (inPath !== undefined) return ids.includes(Number(inPath));
	const wanted = new Set<unknown>(ids);
	return idsInBody(body).some((id) => wanted.has(id));
}

function meets(rule: FaultRule, request: ApiRequest): boolean {
	const { method, path, ids } = rule.match ?? {};
	if (method !== undefined && method.toUpperCase() !== request.method.toUpperCase()) return false;
	if (path !== undefined && request.url.search(path) === -1) return false;
	return ids === undefined || concernsIds(request, ids);
}

/** The rules of misbehaviour, in the order in which they were added. */
export class FaultQueue {
	private rules: QueuedFault[] = [];
	private lastId = 0;

	/** Adds a rule at the end. Returns its ID. */
	add(rule: FaultRule): number {
		this.lastId += 1;
		this.rules.push({ id: this.lastId, rule, matched: 0, applied: 0 });
		return this.lastId;
	}

	/** Returns the action for a request, if any; the first rule that applies wins and is counted. */
	take(request: ApiRequest): FaultAction | undefined {
		const due = this.rules.find((queued) => {
			if (!meets(queued.rule, request)) return false;
			queued.matched += 1;
			return queued.matched >= (queued.rule.match?.nth ?? 1);
		});
		if (!due) return undefined;
		due.applied += 1;
		if (due.applied === (due.rule.times ?? 1)) {
			this.rules = this.rules.filter((queued) => queued !== due);
		}
		return due.rule.action;
	}

	list(): QueuedFault[] {
		return this.rules.map((queued) => ({ ...queued }));
	}

	clear(): void {
		this.rules = [];
	}
}
