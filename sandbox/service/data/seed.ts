import { createHash } from 'node:crypto';
import { DEFAULTS, EXAMPLES } from '../interface/description';
import type { SettableValues, StepAssignment } from '../interface/instance';
import type { StoredInstance } from './model';
import { automaticName, findProcess, PROCESS_IDS } from './processes';
import { PEOPLE, SUPPLIERS, TAGS } from './seedNames';
import { planOf, SEED_PLAN } from './seedPlan';
import type { InstanceState, PlannedInstance } from './seedPlan';

const DAY = 24 * 60 * 60 * 1000;
const PRIORITIES = [null, 'H', null, 'V', null];

/** When an instance started, ended and is due, in days from now (negative: in the past). */
interface Timing {
	started: number;
	completed: number | null;
	aborted: number | null;
	due: number | null;
}

function timingOf(state: InstanceState, id: number): Timing {
	const spread = id % 17;
	const due = id % 3 === 0 ? null : 5 + spread;
	switch (state) {
		case 'running':
			return { started: -2 - spread, completed: null, aborted: null, due };
		case 'overdue':
			return { started: -40 - spread, completed: null, aborted: null, due: -1 - (spread % 9) };
		case 'aborted':
			return { started: -30 - spread, completed: null, aborted: -5 - spread, due: null };
		case 'completedRecently':
			return { started: -30 - spread, completed: -1 - spread, aborted: null, due: null };
		case 'completedLongAgo':
			return { started: -75 - 9 * spread, completed: -40 - 9 * spread, aborted: null, due: null };
	}
}

function nameOf(plan: PlannedInstance, deadline: string | null): string {
	const { id, processId } = plan;
	const process = findProcess(processId);
	if (process?.automaticNaming === true) return automaticName(process, id, deadline);
	if (plan.bare === true) return '';
	if (processId === PROCESS_IDS.onboarding) return `Onboarding of ${PEOPLE[id % PEOPLE.length]}`;
	return `Invoice ${20000 + id * 7} of ${SUPPLIERS[id % SUPPLIERS.length]}`;
}

function assignmentsOf(processId: number, id: number): StepAssignment[] {
	const steps = findProcess(processId)?.steps ?? [];
	return steps.slice(0, 2).map((step, index) => ({
		step_id: step.id,
		user_id: 40 + ((id + index) % 20),
	}));
}

function stepsDoneOf(plan: PlannedInstance): number {
	const total = findProcess(plan.processId)?.steps.length ?? 0;
	return plan.state.startsWith('completed') ? total : plan.id % Math.max(total - 1, 1);
}

function settableOf(plan: PlannedInstance, deadline: string | null): SettableValues {
	const { id, processId, full, bare } = plan;
	const named = { name: nameOf(plan, deadline), deadline };
	if (bare) return { ...DEFAULTS, ...named, tags: [], step_assignments: [] };
	const assignments = assignmentsOf(processId, id);
	if (full) {
		const tags = ['finance', 'urgent'];
		return { ...EXAMPLES, ...named, tags, step_assignments: assignments };
	}
	return {
		...DEFAULTS,
		...named,
		priority: PRIORITIES[id % PRIORITIES.length],
		tags: [...(TAGS[id % TAGS.length] ?? [])],
		step_assignments: id % 2 === 0 ? assignments : [],
	};
}

function dueOf({ bare, full }: PlannedInstance, { due }: Timing): number | null {
	if (bare) return null;
	return full ? (due ?? 10) : due;
}

function buildInstance(plan: PlannedInstance, now: number): StoredInstance {
	const { id, processId } = plan;
	const timing = timingOf(plan.state, id);
	const at = (days: number) => new Date(now + days * DAY).toISOString();
	const maybeAt = (days: number | null) => (days === null ? null : at(days));
	return {
		id,
		processId,
		settable: settableOf(plan, maybeAt(dueOf(plan, timing))),
		times: {
			started_time: at(timing.started),
			completed_time: maybeAt(timing.completed),
			aborted_time: maybeAt(timing.aborted),
			last_updated_time: at(timing.completed ?? timing.aborted ?? -1),
		},
		stepsDone: stepsDoneOf(plan),
		publicToken: createHash('sha256').update(`instance ${id}`).digest('hex').slice(0, 16),
	};
}

/**
 * Builds the seeded instances. The same `now` always creates the same instances.
 *
 * @param now milliseconds since the epoch; the seeded times are relative to it
 */
export function buildSeed(now: number): StoredInstance[] {
	return SEED_PLAN.map((plan) => buildInstance(plan, now));
}

/** Builds one more running instance, as load tests need them by the thousand. */
export function buildExtraInstance(id: number, now: number): StoredInstance {
	return buildInstance(planOf(id, 'running'), now);
}
