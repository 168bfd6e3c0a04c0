import type { IDataObject } from 'n8n-workflow';

import { listIds } from '../api/apiRequest';
import type { UserFacingError } from '../values/userFacingError';

/** What came of some input items, by their indexes, or why nothing did. */
export type ItemResult = { items: readonly number[] } & (
	| { json: IDataObject }
	| { error: UserFacingError }
);

/** An instance, and the indexes of the input items that name it. */
export type Target = readonly [id: number, items: readonly number[]];

/** What is known of a change, in this order: no later attempt makes it less than it was. */
const OUTCOMES = ['notSent', 'rejected', 'unknown', 'done'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** By these, a service or a gateway says that it did not do it. */
const REJECTIONS = ['absent', 'conflict', 'forbidden', 'key', 'otherWebsite', 'rejected'];
/** After these, a service may have done it to some of several instances. */
const PARTLY_DONE = ['absent', 'conflict', 'otherWebsite'];

const MAX_LISTED = 500;

function listed(label: string, ids: readonly number[]): string {
	return ids.length === 0 ? '' : `${label}: ${listIds(ids, MAX_LISTED)}.`;
}

/** A change to an instance by the items that name it. */
interface InstanceChange {
	readonly id: number;
	outcome: Outcome;
	/** Why it failed when it was last sent. */
	failure?: string;
	/** What came of it, if it must not be made again. */
	result?: ItemResult;
}

/** What became of changes. The attempts of Retry On Fail share it. */
export class ExecutionMemory {
	/** Why nothing more is sent, once the service has rejected the API key. */
	rejectedKey?: UserFacingError;
	/** By kind: n8n shows those of the last attempt only. */
	readonly hints = new Map<string, string>();
	/** Takes the IDs of instances that a request may have changed, until its outcome is recorded. */
	readonly unknownIds = new Set<number>();
	/** By instance: its states at the time of the last write, that write last. */
	readonly states = new Map<number, IDataObject[]>();
	/** By instance and the first of its items, which is the same in all attempts. */
	private readonly changes = new Map<string, InstanceChange>();

	recordPlanned(targets: Iterable<Target>): void {
		for (const [id, [item]] of targets) {
			const key = `${id} ${item}`;
			if (!this.changes.has(key)) this.changes.set(key, { id, outcome: 'notSent' });
		}
	}

	/** Undefined for reads, which are not planned. */
	changeOf([id, [item]]: Target): InstanceChange | undefined {
		return this.changes.get(`${id} ${item}`);
	}

	/** Unknown if any of these changes was made, or may have been. */
	outcomeOf(targets: readonly Target[]): UserFacingError['outcome'] {
		const outcomes = targets.map((target) => this.changeOf(target)?.outcome);
		return outcomes.includes('unknown') || outcomes.includes('done') ? 'unknown' : undefined;
	}

	recordDone(target: Target, result: ItemResult | undefined): void {
		this.unknownIds.delete(target[0]);
		this.record(target, 'done', result);
	}

	recordFailure(targets: readonly Target[], { kind, message }: UserFacingError): void {
		const isPartlyDone = targets.length > 1 && PARTLY_DONE.includes(kind);
		for (const target of targets) {
			const change = this.changeOf(target);
			if (change && kind !== 'unsent') change.failure = message;
			if (REJECTIONS.includes(kind)) this.record(target, 'rejected');
			if (this.unknownIds.delete(target[0]) || isPartlyDone) this.record(target, 'unknown');
		}
	}

	private record(target: Target, outcome: Outcome, result?: ItemResult): void {
		const change = this.changeOf(target);
		if (change === undefined) return;
		change.result = result;
		if (OUTCOMES.indexOf(outcome) > OUTCOMES.indexOf(change.outcome)) change.outcome = outcome;
	}

	/** What became of all changes, in words and for the details of an error. `done` is e.g. `Updated`. */
	report(done: string): { words: string; details: IDataObject } {
		const changes = [...this.changes.values()];
		const idsOf = (...outcomes: Outcome[]) => {
			const chosen = changes.filter(({ outcome }) => outcomes.includes(outcome));
			return [...new Set(chosen.map(({ id }) => id))];
		};
		const doneIds = idsOf('done');
		const rejectedIds = idsOf('rejected');
		const unknownIds = idsOf('unknown');
		const notSentIds = idsOf('notSent');
		const isUntouched = doneIds.length + unknownIds.length === 0;
		const sentences = isUntouched ? [`Nothing was ${done.toLowerCase()}.`] : [];
		// Of a single one the error itself says it, and of none that were sent there is nothing to say.
		if (changes.length > 1 && changes.some(({ outcome }) => outcome !== 'notSent')) {
			sentences.push(
				listed(`${done} (${doneIds.length} of ${idsOf(...OUTCOMES).length})`, doneIds),
				listed('Rejected', rejectedIds),
				listed('Unknown', unknownIds),
				listed('Not sent', notSentIds),
			);
		}
		return {
			words: sentences.filter(Boolean).join(' '),
			details: { [`${done.toLowerCase()}Ids`]: doneIds, rejectedIds, unknownIds, notSentIds },
		};
	}
}
