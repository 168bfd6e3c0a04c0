import { PROCESS_IDS } from './processes';

/** How far an instance has come. */
export type InstanceState =
	| 'running'
	| 'overdue'
	| 'completedRecently'
	| 'completedLongAgo'
	| 'aborted';

/** One instance to be seeded. */
export interface PlannedInstance {
	id: number;
	state: InstanceState;
	processId: number;
	/** All client-settable fields are set. */
	full?: boolean;
	/** No client-settable field but the process is set. */
	bare?: boolean;
}

const FIRST_ID = 101;
const PROCESS_CYCLE: readonly number[] = [
	PROCESS_IDS.onboarding,
	PROCESS_IDS.invoiceApproval,
	PROCESS_IDS.purchaseRequest,
];
const STATE_CYCLE: readonly InstanceState[] = [
	'running',
	'completedLongAgo',
	'completedRecently',
	'running',
	'completedLongAgo',
	'overdue',
	'aborted',
	'running',
];
const CYCLED_INSTANCES = 40;

const { onboarding, invoiceApproval, purchaseRequest } = PROCESS_IDS;

const LANDMARKS: readonly PlannedInstance[] = [
	{ id: 101, state: 'running', processId: onboarding },
	{ id: 102, state: 'running', processId: invoiceApproval, full: true },
	{ id: 103, state: 'running', processId: purchaseRequest },
	{ id: 104, state: 'overdue', processId: invoiceApproval },
	{ id: 105, state: 'aborted', processId: onboarding },
	{ id: 106, state: 'running', processId: onboarding, bare: true },
	{ id: 107, state: 'completedRecently', processId: invoiceApproval },
	{ id: 108, state: 'completedLongAgo', processId: onboarding },
];

/** Plans an instance that is no landmark: the processes take turns. */
export function planOf(id: number, state: InstanceState): PlannedInstance {
	return { id, state, processId: PROCESS_CYCLE[id % PROCESS_CYCLE.length] ?? onboarding };
}

/** All instances to be seeded, ids ascending from 101 without a gap. */
export const SEED_PLAN: readonly PlannedInstance[] = [
	...LANDMARKS,
	...Array.from({ length: CYCLED_INSTANCES }, (_, index) =>
		planOf(
			FIRST_ID + LANDMARKS.length + index,
			STATE_CYCLE[index % STATE_CYCLE.length] ?? 'running',
		),
	),
];

const idsWhere = (isWanted: (plan: PlannedInstance) => boolean): number[] =>
	SEED_PLAN.filter(isWanted).map((plan) => plan.id);

/** Landmarks among the seeded instances; the ids never change. */
export const SEED = {
	/** Running employee onboarding with a name. */
	running: 101,
	/** Running invoice approval with all client-settable fields set. */
	fullyFilled: 102,
	/** Running instance of the process with automatic naming. */
	autoNamed: 103,
	/** Running, deadline in the past. */
	overdue: 104,
	/** Aborted some weeks ago. */
	aborted: 105,
	/** Running; empty name, and nothing set but the process. */
	bare: 106,
	/** Completed less than 30 days ago. */
	completed: 107,
	/** Never exists, with whatever number of extra instances. */
	unknown: 999_999,
	/** Every seeded id, ascending. */
	all: idsWhere(() => true),
	/** Neither completed nor aborted, the overdue ones included. */
	allRunning: idsWhere((plan) => plan.state === 'running' || plan.state === 'overdue'),
	allOverdue: idsWhere((plan) => plan.state === 'overdue'),
	allAborted: idsWhere((plan) => plan.state === 'aborted'),
	/** Completed less than 30 days ago. */
	completedRecently: idsWhere((plan) => plan.state === 'completedRecently'),
	/** Completed more than 30 days ago. */
	completedLongAgo: idsWhere((plan) => plan.state === 'completedLongAgo'),
	/** All instances of the process with automatic naming. */
	allAutoNamed: idsWhere((plan) => plan.processId === purchaseRequest),
	/** Process ids. */
	processes: PROCESS_IDS,
};
