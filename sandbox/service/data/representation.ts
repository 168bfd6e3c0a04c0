import type { Instance } from '../interface/instance';
import type { StoredInstance } from './model';
import { activeStepIds, describeDeadlines, describeSnapshot, stageOf } from './snapshot';
import type { SnapshotOptions } from './snapshot';

/** What `process_snapshot` and `step_deadlines` are returned as; the interface says text. */
export type SnapshotShape = 'text' | 'object' | 'array';

/** Where the service is reached; both without a trailing slash. */
export interface Address {
	origin: string;
	baseUrl: string;
}

/** The flags of a plain read. */
const PLAIN: SnapshotOptions = { injectValues: false, stepsTimeFrame: false };

/** The instance (docs/service-interface.md#instance), with both snapshot fields as text. */
export function toInstance(
	stored: StoredInstance,
	address: Address,
	options: SnapshotOptions = PLAIN,
): Instance {
	return {
		process: `${address.baseUrl}/processes/${stored.processId}/`,
		...stored.settable,
		url: `${address.baseUrl}/instances/${stored.id}/`,
		id: stored.id,
		...stored.times,
		process_snapshot: JSON.stringify(describeSnapshot(stored, options)),
		active_step_ids: activeStepIds(stored),
		step_deadlines: JSON.stringify(describeDeadlines(stored)),
		public_url: `${address.origin}/public/${stored.publicToken}/`,
		stage: stageOf(stored),
	};
}

/**
 * An instance whose snapshot fields are not text, as a service that drifted from its description
 * would return it: `object` keys the deadlines by step ID, `array` is the bare lists of steps and
 * deadlines.
 */
export function toDriftedInstance(
	stored: StoredInstance,
	address: Address,
	shape: Exclude<SnapshotShape, 'text'>,
	options: SnapshotOptions = PLAIN,
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
