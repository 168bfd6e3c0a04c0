import type { IDataObject } from 'n8n-workflow';

import { listIds } from '../values/text';
import type { ErrorKind, UserFacingError } from '../values/userFacingError';

/** The output of some input items, by their indexes, or the error if they failed. */
export type ItemResult = { itemIndexes: readonly number[] } & (
	| { json: IDataObject }
	| { error: UserFacingError }
);

/** What is known about a change. A later attempt only ever moves it to the right. */
const OUTCOMES = ['notSent', 'rejected', 'unknown', 'done'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Rejections that may be about only some of several instances. */
export const DIVISIBLE: readonly ErrorKind[] = ['notFound', 'conflict', 'forbidden', 'rejected'];
/** Kinds with which a service or a gateway says that it changed nothing. */
const REJECTIONS: readonly ErrorKind[] = [...DIVISIBLE, 'key', 'otherWebsite'];
/** Kinds after which it may have changed some of several instances. */
const PARTLY_DONE: readonly ErrorKind[] = ['notFound', 'conflict', 'otherWebsite'];

const MAX_LISTED = 500;

function listed(label: string, ids: readonly number[]): string {
	return ids.length === 0 ? '' : `${label}: ${listIds(ids, MAX_LISTED)}.`;
}

/** An instance that a job reads or changes, and what has come of it. */
export interface Target {
	readonly id: number;
	/** The indexes of the input items that list it. */
	readonly itemIndexes: readonly number[];
	outcome: Outcome;
	/** Why it failed when it was last sent. */
	lastFailure?: UserFacingError;
	result?: ItemResult;
}

function record(target: Target, outcome: Outcome): void {
	if (OUTCOMES.indexOf(outcome) > OUTCOMES.indexOf(target.outcome)) target.outcome = outcome;
}

/** What all attempts of Retry On Fail share, above all the outcome of each change. */
export class ExecutionMemory {
	/** Why nothing more is sent, once the service has rejected the API key. */
	rejectedKey?: UserFacingError;
	/** By kind. Each attempt shows them again, since n8n only shows those of the last attempt. */
	readonly hints = new Map<string, string>();
	/** The instances that a request may have changed, until its outcome is recorded (api/service.ts adds them). */
	readonly pendingIds = new Set<number>();
	/** Each instance that several items update, as the service returned it after the last update. */
	readonly written = new Map<number, IDataObject>();
	/** The targets of changes, by instance and the index of its first item, which is the same in all attempts. */
	readonly targets = new Map<string, Target>();

	/** Forgets the results of changes that failed, and of later ones of the same instances, so that they keep their order. */
	startAttempt(): void {
		const failedIds = new Set<number>();
		for (const target of this.targets.values()) {
			if (!target.result || 'error' in target.result) failedIds.add(target.id);
			if (failedIds.has(target.id)) target.result = undefined;
		}
	}

	/** The targets of a job in this attempt. Changes without a result are made, as are all reads. */
	planTargets(
		itemIndexesById: ReadonlyMap<number, readonly number[]>,
		readsOnly: boolean,
	): Target[] {
		return [...itemIndexesById].map(([id, itemIndexes]) => {
			const newTarget: Target = { id, itemIndexes, outcome: 'notSent' };
			if (readsOnly) return newTarget;
			const key = `${id} ${itemIndexes[0]}`;
			const target = this.targets.get(key) ?? newTarget;
			this.targets.set(key, target);
			return target;
		});
	}

	recordDone(target: Target, json: IDataObject): void {
		this.pendingIds.delete(target.id);
		target.outcome = 'done';
		target.result = { itemIndexes: target.itemIndexes, json };
	}

	recordFailure(targets: readonly Target[], error: UserFacingError): void {
		const { kind } = error;
		const isPartlyDone = error.isPartlyDone || (targets.length > 1 && PARTLY_DONE.includes(kind));
		for (const target of targets) {
			if (kind !== 'notProcessed' && kind !== 'stopped') target.lastFailure = error;
			const isUnknown = this.pendingIds.delete(target.id) || isPartlyDone;
			if (isUnknown) record(target, 'unknown');
			else if (REJECTIONS.includes(kind)) record(target, 'rejected');
		}
	}

	/** Reports the outcome of all changes, in words, and as details for an error about `failedItem`. */
	report(done: string, failedItem?: number): { words: string; details: IDataObject } {
		const targets = [...this.targets.values()];
		const idsOf = (...outcomes: Outcome[]) => {
			const chosen = targets.filter(({ outcome }) => outcomes.includes(outcome));
			return [...new Set(chosen.map(({ id }) => id))];
		};
		const doneIds = idsOf('done');
		const rejectedIds = idsOf('rejected');
		const unknownIds = idsOf('unknown');
		const notSentIds = idsOf('notSent');
		const isUntouched = doneIds.length + unknownIds.length === 0;
		// A loop runs the node several times.
		const nothing = `Nothing was ${done.toLowerCase()} in this run of the node.`;
		const sentences = isUntouched ? [nothing] : [];
		// The error of a single change already says what happened to it. If nothing was sent, there is nothing to list.
		const isSaid = targets.length === 1 && targets[0]?.itemIndexes[0] === failedItem;
		if (!isSaid && targets.some(({ outcome }) => outcome !== 'notSent')) {
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
