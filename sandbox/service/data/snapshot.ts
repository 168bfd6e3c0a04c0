import type { StoredInstance } from './model';
import { findProcess } from './processes';
import type { StepDefinition } from './processes';

const DAY = 24 * 60 * 60 * 1000;

/** What a GET asks the snapshot to hold in addition. */
export interface SnapshotOptions {
	injectValues: boolean;
	stepsTimeFrame: boolean;
}

/** One entry of `step_deadlines`. */
export interface StepDeadline {
	step_id: number;
	deadline: string;
}

/** What `process_snapshot` holds. The layout is made up: the interface does not show it. */
export interface Snapshot {
	id: number;
	name: string;
	automatic_naming: boolean;
	steps: object[];
}

const stepsOf = (instance: StoredInstance): StepDefinition[] =>
	findProcess(instance.processId)?.steps ?? [];

const isEnded = ({ times }: StoredInstance): boolean =>
	times.completed_time !== null || times.aborted_time !== null;

/** Returns the steps that are being worked on: none once the instance is finished or aborted. */
function activeSteps(instance: StoredInstance): StepDefinition[] {
	if (isEnded(instance)) return [];
	const open = stepsOf(instance).slice(instance.stepsDone);
	const next = open.findIndex((step, index) => index > 0 && step.alongside !== true);
	return next === -1 ? open : open.slice(0, next);
}

/** Returns the IDs of the steps that are being worked on. */
export function activeStepIds(instance: StoredInstance): number[] {
	return activeSteps(instance).map((step) => step.id);
}

/** Returns the stage: that of the first active step, or how the instance ended. */
export function stageOf(instance: StoredInstance): string {
	if (instance.times.aborted_time !== null) return 'Aborted';
	return activeSteps(instance)[0]?.stage ?? 'Completed';
}

function completedTimeOf(instance: StoredInstance, index: number): string | null {
	if (index >= instance.stepsDone) return null;
	const { started_time, completed_time, aborted_time, last_updated_time } = instance.times;
	const start = Date.parse(started_time);
	const end = Date.parse(completed_time ?? aborted_time ?? last_updated_time);
	const share = (index + 1) / instance.stepsDone;
	return new Date(start + (end - start) * share).toISOString();
}

function stepStatus(index: number, stepId: number, instance: StoredInstance): string {
	if (index < instance.stepsDone) return 'done';
	return activeStepIds(instance).includes(stepId) ? 'active' : 'open';
}

function describeStep(
	instance: StoredInstance,
	step: StepDefinition,
	index: number,
	options: SnapshotOptions,
): object {
	const completed = completedTimeOf(instance, index);
	const done = completed !== null;
	return {
		id: step.id,
		name: step.name,
		stage: step.stage,
		status: stepStatus(index, step.id, instance),
		assignees: instance.settable.step_assignments
			.filter((assignment) => assignment.step_id === step.id)
			.map((assignment) => assignment.user_id),
		...(options.stepsTimeFrame ? { completed_time: completed } : {}),
		fields: step.fields.map((field) => ({
			id: field.id,
			label: field.label,
			...(options.injectValues ? { value: done ? field.value(instance.id) : null } : {}),
		})),
	};
}

/** Returns the deadline of each step. */
export function describeDeadlines(instance: StoredInstance): StepDeadline[] {
	const start = Date.parse(instance.times.started_time);
	return stepsOf(instance).map((step) => ({
		step_id: step.id,
		deadline: new Date(start + step.dueDays * DAY).toISOString(),
	}));
}

/** Returns the structure of the process as the instance sees it. */
export function describeSnapshot(instance: StoredInstance, options: SnapshotOptions): Snapshot {
	const process = findProcess(instance.processId);
	return {
		id: instance.processId,
		name: process?.title ?? '',
		automatic_naming: process?.automaticNaming ?? false,
		steps: stepsOf(instance).map((step, index) => describeStep(instance, step, index, options)),
	};
}
