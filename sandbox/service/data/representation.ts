import { activeStepIds, describeDeadlines, describeSnapshot, stageOf } from './snapshot';
import type { SnapshotOptions } from './snapshot';
import type { StoredInstance } from './store';
import type { Instance } from '../interface/instance';

/** What `process_snapshot` and `step_deadlines` are answered as; the interface says text. */
export type SnapshotShape = 'text' | 'object' | 'array';

/** Where the service is reached; both without a trailing slash. */
export interface Address {
	origin: string;
	baseUrl: string;
}

/** The flags of a plain read. */
const PLAIN: SnapshotOptions = { injectValues: false, stepsTimeFrame: false };

/** Gives the instance (docs/service-interface.md#instance), with both snapshot fields as text. */
export function toInstance(
	stored: StoredInstance,
	address: Address,
	options: SnapshotOptions = PLAIN,
): Instance {
	return {
		process: `${address.baseUrl}/processes/${stored.processId}/`,
		name: stored.name,
		deadline: stored.deadline,
		priority: stored.priority,
		tags: [...stored.tags],
		step_assignments: stored.stepAssignments.map((assignment) => ({ ...assignment })),
		url: `${address.baseUrl}/instances/${stored.id}/`,
		id: stored.id,
		started_time: stored.startedTime,
		completed_time: stored.completedTime,
		aborted_time: stored.abortedTime,
		last_updated_time: stored.lastUpdatedTime,
		process_snapshot: JSON.stringify(describeSnapshot(stored, options)),
		active_step_ids: activeStepIds(stored),
		step_deadlines: JSON.stringify(describeDeadlines(stored)),
		public_url: `${address.origin}/public/${stored.publicToken}/`,
		stage: stageOf(stored),
	};
}

/**
 * Gives an instance whose snapshot fields are not text, as a service that drifted from its
 * description would answer it: `object` keys the deadlines by step id, `array` answers the bare
 * lists of steps and deadlines.
 */
export function toDriftedInstance(
	stored: StoredInstance,
	address: Address,
	options: SnapshotOptions,
	shape: Exclude<SnapshotShape, 'text'>,
): object {
	const snapshot = describeSnapshot(stored, options);
	const deadlines = describeDeadlines(stored);
	const isArray = shape === 'array';
	return {
		...toInstance(stored, address, options),
		process_snapshot: isArray ? snapshot.steps : snapshot,
		step_deadlines: isArray
			? deadlines
			: Object.fromEntries(deadlines.map((entry) => [entry.step_id, entry.deadline])),
	};
}
