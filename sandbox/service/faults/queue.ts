import type { FaultAction, FaultRule, QueuedFault } from './rules';

/** What a rule looks at. */
export interface FaultSubject {
	method: string;
	/** Path with query. */
	url: string;
	/** Body text. */
	body: string;
}

const INSTANCE_PATH = /\/instances\/(\d+)\//;

function idsInBody(body: string): unknown[] {
	try {
		const value: { ids?: unknown } | null = JSON.parse(body);
		return Array.isArray(value?.ids) ? value.ids : [];
	} catch {
		return [];
	}
}

function concernsIds({ url, body }: FaultSubject, ids: readonly number[]): boolean {
	const inPath = INSTANCE_PATH.exec(url)?.[1];
	if (inPath !== undefined) return ids.includes(Number(inPath));
	const wanted = new Set<unknown>(ids);
	return idsInBody(body).some((id) => wanted.has(id));
}

function meets(rule: FaultRule, subject: FaultSubject): boolean {
	const { method, path, ids } = rule.match ?? {};
	if (method !== undefined && method.toUpperCase() !== subject.method.toUpperCase()) return false;
	if (path !== undefined && subject.url.search(path) === -1) return false;
	return ids === undefined || concernsIds(subject, ids);
}

function checkCount(what: string, value: number | undefined, least: number): void {
	if (value === undefined || (Number.isInteger(value) && value >= least)) return;
	throw new RangeError(`${what} must be a whole number, at least ${least}; it was ${value}`);
}

function checkAction(action: FaultAction): void {
	if (action.type === 'applyThen') return checkAction(action.then);
	if (action.type === 'delay') return checkCount('ms', action.ms, 0);
	const status = 'status' in action ? action.status : undefined;
	if (status === undefined || (Number.isInteger(status) && status >= 200 && status <= 599)) return;
	throw new RangeError(`status must be a whole number from 200 to 599; it was ${status}`);
}

/** The rules of misbehaviour, in the order in which they were added. */
export class FaultQueue {
	private rules: QueuedFault[] = [];
	private lastId = 0;

	/**
	 * Adds a rule at the end. Gives its id.
	 *
	 * @throws RangeError on a number out of bounds, SyntaxError on an unreadable pattern
	 */
	add(rule: FaultRule): number {
		checkCount('nth', rule.match?.nth, 1);
		checkCount('times', rule.times, 0);
		checkAction(rule.action);
		new RegExp(rule.match?.path ?? '');
		this.lastId += 1;
		this.rules.push({ id: this.lastId, rule, matched: 0, applied: 0 });
		return this.lastId;
	}

	/** Gives the action for a request, if any; the first rule that applies wins and is counted. */
	take(subject: FaultSubject): FaultAction | undefined {
		const due = this.rules.find((queued) => {
			if (!meets(queued.rule, subject)) return false;
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
