import type { Change, Instance, StoredInstance } from './instance';
import { findProcess, type Step } from './seed';

const DAY = 24 * 60 * 60 * 1000;

interface View {
	/** Whether the snapshot includes what users entered. */
	injectValues?: boolean;
	/** Whether the snapshot includes when steps were completed. */
	stepsTimeFrame?: boolean;
}

const stepsOf = ({ processId }: StoredInstance): Step[] => findProcess(processId)?.steps ?? [];

/** The steps that are being worked on: none once the instance is completed or aborted. */
function activeSteps(instance: StoredInstance): Step[] {
	const { completed_time, aborted_time } = instance.times;
	if (completed_time !== null || aborted_time !== null) return [];
	const open = stepsOf(instance).slice(instance.stepsDone);
	const next = open.findIndex(({ alongside = false }, index) => index > 0 && !alongside);
	return next === -1 ? open : open.slice(0, next);
}

/** What changes when all steps of the current stage are done. */
export function nextStage(instance: StoredInstance): Change {
	const [active] = activeSteps(instance);
	if (!active) return {};
	const open = stepsOf(instance).slice(instance.stepsDone);
	const inStage = open.findIndex(({ stage }) => stage !== active.stage);
	if (inStage === -1) return { state: 'completed', stepsDone: instance.stepsDone + open.length };
	return { stepsDone: instance.stepsDone + inStage };
}

/** What changes when a finished instance is reopened: at least its last step is open. */
export const reopened = (instance: StoredInstance): Change => ({
	state: 'running',
	stepsDone: Math.min(instance.stepsDone, stepsOf(instance).length - 1),
});

/** When a step was completed, as if the steps done were spread evenly over the time worked. */
function completedTimeOf({ times, stepsDone }: StoredInstance, index: number): string | null {
	if (index >= stepsDone) return null;
	const start = Date.parse(times.started_time);
	const end = Date.parse(times.completed_time ?? times.aborted_time ?? times.last_updated_time);
	return new Date(start + ((end - start) * (index + 1)) / stepsDone).toISOString();
}

/** The layout is made up: the interface doesn't show it. */
function snapshotOf(instance: StoredInstance, view: View): object {
	const process = findProcess(instance.processId);
	const active = activeSteps(instance);
	return {
		id: instance.processId,
		name: process?.name ?? '',
		automatic_naming: process?.automaticNaming ?? false,
		steps: stepsOf(instance).map((step, index) => {
			const completed_time = completedTimeOf(instance, index);
			const open = active.includes(step) ? 'active' : 'open';
			const value = completed_time === null ? null : step.value;
			return {
				id: step.id,
				name: step.name,
				stage: step.stage,
				status: completed_time === null ? open : 'done',
				assignees: instance.settable.step_assignments
					.filter(({ step_id }) => step_id === step.id)
					.map(({ user_id }) => user_id),
				...(view.stepsTimeFrame && { completed_time }),
				fields: [{ id: step.id % 100, label: step.field, ...(view.injectValues && { value }) }],
			};
		}),
	};
}

function deadlinesOf(instance: StoredInstance): object[] {
	const start = Date.parse(instance.times.started_time);
	return stepsOf(instance).map(({ id, dueDays }) => ({
		step_id: id,
		deadline: new Date(start + dueDays * DAY).toISOString(),
	}));
}

/** The instance as the interface returns it, with both snapshot fields as text. */
export function toInstance(stored: StoredInstance, origin: string, view: View = {}): Instance {
	const { id, processId, settable, times } = stored;
	const active = activeSteps(stored);
	const ended = times.aborted_time === null ? 'Completed' : 'Aborted';
	return {
		process: `${origin}/api/processes/${processId}/`,
		...settable,
		url: `${origin}/api/instances/${id}/`,
		id,
		...times,
		process_snapshot: JSON.stringify(snapshotOf(stored, view)),
		active_step_ids: active.map((step) => step.id),
		step_deadlines: JSON.stringify(deadlinesOf(stored)),
		public_url: `${origin}/public/${(id * 7_919).toString(36)}/`,
		stage: active[0]?.stage ?? ended,
	};
}
