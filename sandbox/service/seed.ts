import type { StoredInstance } from './instance';
import data from './seed.json';

const { processes, instances } = data;
export const SEEDED = instances;
/** A process. A step with `alongside` becomes active together with the one before it. */
export type Process = (typeof processes)[number];
export type Step = Process['steps'][number];
/** An instance, with times in days from now. Its assignees are the users assigned to the first steps. */
type SeededInstance = (typeof instances)[number];

const DAY = 24 * 60 * 60 * 1000;
const MONTH_DAYS = 30;

/** The IDs of the seeded instances, by their purpose. They never change. */
export const SEED = {
	/** A running employee onboarding with a name. */
	running: 101,
	/** A running invoice approval with all client-settable fields set. */
	fullyFilled: 102,
	/** A running instance of the process with automatic naming. */
	autoNamed: 103,
	/** Running, with a deadline in the past. */
	overdue: 104,
	/** Aborted some days ago. */
	aborted: 105,
	/** Running, with an empty name and nothing set but the process. */
	bare: 106,
	/** Completed less than 30 days ago. */
	completed: 107,
	/** Never exists, however many instances are added. */
	unknown: 999_999,
	/** Every seeded ID, ascending. */
	all: instances.map(({ id }) => id),
	/** Completed more than 30 days ago. */
	completedLongAgo: instances
		.filter(({ completed = 0 }) => completed < -MONTH_DAYS)
		.map(({ id }) => id),
	/** IDs of processes. */
	processes: { onboarding: 11, invoiceApproval: 12, purchaseRequest: 13 },
};

export const findProcess = (id: number): Process | undefined =>
	processes.find((process) => process.id === id);

/** The name that a process with automatic naming generates, including the date of the deadline. */
export function automaticName({ name }: Process, id: number, deadline: string | null): string {
	const due = deadline === null ? '' : `, due ${deadline.slice(0, 10)}`;
	return `${name} ${String(id).padStart(5, '0')}${due}`;
}

/** Builds an instance, with times relative to `now` (milliseconds since 1970). */
export function buildInstance(seeded: SeededInstance, now: number): StoredInstance {
	const { id, process: processId, name = '', priority = null, tags = [], stepsDone } = seeded;
	const at = (days: number) => new Date(now + days * DAY).toISOString();
	const maybeAt = (days?: number) => (days === undefined ? null : at(days));
	const deadline = maybeAt(seeded.due);
	const process = findProcess(processId);
	return {
		id,
		processId,
		settable: {
			name: process?.automaticNaming ? automaticName(process, id, deadline) : name,
			deadline,
			priority,
			tags: [...tags],
			step_assignments: (seeded.assignees ?? []).map((user_id, index) => ({
				step_id: process?.steps[index]?.id ?? 0,
				user_id,
			})),
		},
		times: {
			started_time: at(seeded.started),
			completed_time: maybeAt(seeded.completed),
			aborted_time: maybeAt(seeded.aborted),
			last_updated_time: at(seeded.completed ?? seeded.aborted ?? -1),
		},
		stepsDone,
	};
}
