import { createSandbox, type SandboxHandle, systemClock } from '../../../sandbox/service';
import { type Condition, CONDITION_GROUPS } from './conditions';
import { type Observation, observe, type Setting, type Stage } from './observe';
import { type Scenario, SCENARIOS } from './scenarios';

/** One row of the page: an operation under a condition, with each of the settings. */
export interface Row {
	scenario: Scenario;
	condition: Condition;
	observations: Record<Setting, Observation>;
}

/** Everything that was observed. */
export interface Collection {
	rows: Row[];
	/** Requests to the server that redirects point to. */
	strayRequests: number;
}

/** The API key that the runs have. */
export const KEY = 'kEy+of/the-sandbox=';
/** Messages quote the instances, whose times must not depend on the day. */
const SEED_TIME = new Date(Date.UTC(2026, 0, 1));
/** Most of a run is waiting, or n8n's own work. */
const RUNS_AT_A_TIME = 8;

/** The conditions that make sense for an operation. */
function conditionsOf({ hasBody }: Scenario): Condition[] {
	return CONDITION_GROUPS.flatMap(({ conditions }) => conditions).filter(
		({ needsBody }) => hasBody || needsBody !== true,
	);
}

async function observeRow(scenario: Scenario, condition: Condition, stage: Stage): Promise<Row> {
	const at = async (setting: Setting) => await observe(scenario, condition, setting, stage);
	return {
		scenario,
		condition,
		observations: {
			stopWorkflow: await at('stopWorkflow'),
			continueRegularOutput: await at('continueRegularOutput'),
			continueErrorOutput: await at('continueErrorOutput'),
		},
	};
}

/** Runs tasks side by side, each on a stage of its own. Gives the results in the order of the tasks. */
async function onStages<T>(
	tasks: Array<(stage: Stage) => Promise<T>>,
	stages: Stage[],
): Promise<T[]> {
	const results: T[] = [];
	const pending = [...tasks.entries()];
	await Promise.all(
		stages.map(async (stage) => {
			for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
				const [index, task] = next;
				results[index] = await task(stage);
			}
		}),
	);
	return results;
}

/**
 * Lets every operation meet every condition with every setting, in n8n's engine.
 *
 * @param pick what to observe; default: everything
 */
export async function collect(
	pick: (scenario: Scenario, condition: Condition) => boolean = () => true,
	runsAtATime = RUNS_AT_A_TIME,
): Promise<Collection> {
	const other = await createSandbox();
	const sandboxes: SandboxHandle[] = [];
	for (let count = 0; count < runsAtATime; count++) {
		sandboxes.push(await createSandbox({ apiKey: KEY, clock: systemClock(SEED_TIME) }));
	}
	const stages = sandboxes.map((sandbox) => ({ sandbox, otherOrigin: other.url }));
	const wanted = SCENARIOS.flatMap((scenario) =>
		conditionsOf(scenario).map((condition) => ({ scenario, condition })),
	).filter(({ scenario, condition }) => pick(scenario, condition));
	const run = async (heavy: boolean, where: Stage[]) =>
		await onStages(
			wanted
				.filter(({ condition }) => (condition.isHeavy === true) === heavy)
				.map(
					({ scenario, condition }) =>
						async (stage: Stage) =>
							await observeRow(scenario, condition, stage),
				),
			where,
		);
	try {
		// Tens of megabytes would slow down the others, of which some are about time.
		const rows = [...(await run(false, stages)), ...(await run(true, stages.slice(0, 1)))];
		const place = ({ scenario, condition }: Row) =>
			wanted.findIndex((each) => each.scenario === scenario && each.condition === condition);
		rows.sort((a, b) => place(a) - place(b));
		return { rows, strayRequests: other.control.stats().requests };
	} finally {
		await Promise.all([...sandboxes, other].map(async (sandbox) => await sandbox.close()));
	}
}
