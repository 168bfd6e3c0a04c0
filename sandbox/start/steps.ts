import getPort, { portNumbers } from 'get-port';
import { Listr, PRESET_TIMER } from 'listr2';
import type { ListrTask } from 'listr2';

import { ensureN8n, n8nIsInstalled } from '../n8n/install';
import type { InstallProgress } from '../n8n/install';
import { installPackage } from '../n8n/pack';
import type { N8n } from '../n8n/server';
import { findQueuePrograms } from '../queue/programs';
import { createSandbox, DEFAULT_PORT } from '../service';
import { unlessStopping } from './cleanup';
import type { Cleanup } from './cleanup';
import { startEditor, startQueueEditor, stateFolder, storeWorkflows } from './session';
import type { ServiceAccess, TourRun } from './session';
import type { Target } from './target';

/** What the steps have started so far. */
export interface Progress {
	access?: ServiceAccess;
	n8n?: N8n;
	tour?: TourRun;
}

const preferredPorts = { n8n: 5678, sandbox: DEFAULT_PORT };
const portsTried = 100;
/** A terminal redraws progress in place. Elsewhere, every report is a new line. */
const reportEverySeconds = process.stdout.isTTY ? 1 : 15;

const phaseTexts = {
	wait: 'waiting for another process to install it',
	install: 'packages',
	rebuild: 'native modules sqlite3 and isolated-vm',
	check: 'check',
};

function describe({ phase, seconds, packages }: InstallProgress): string {
	const count = packages ? `${packages.done} of ${packages.total} ` : '';
	return `${count}${phaseTexts[phase]}, ${seconds} s`;
}

async function choosePort(preferred: number): Promise<{ port: number; note: string }> {
	const port = await getPort({ port: portNumbers(preferred, preferred + portsTried) });
	const note = port === preferred ? `port ${port}` : `port ${port}, because ${preferred} is in use`;
	return { port, note };
}

/** A result of an earlier step; without it the steps are in the wrong order. */
function need<T>(value: T | undefined, what: string): T {
	if (value === undefined) throw new Error(`${what} is not there yet.`);
	return value;
}

type Step = ListrTask<Progress>;

const installStep = (): Step => ({
	title: 'Install n8n (first time only, a few minutes)',
	task: async (_, task) => {
		if (n8nIsInstalled()) {
			task.title = 'n8n is installed';
			return;
		}
		await ensureN8n({
			onProgress(progress) {
				if (progress.seconds % reportEverySeconds === 0) task.output = describe(progress);
			},
		});
	},
});

const packStep = (): Step => ({
	title: 'Build, pack and install the node',
	task: async (_, task) => {
		const files = await installPackage(stateFolder);
		task.title += ` (${files.length} files)`;
	},
});

const sandboxStep = (cleanup: Cleanup): Step => ({
	title: 'Start the sandbox service',
	task: async (progress, task) => {
		const { port, note } = await choosePort(preferredPorts.sandbox);
		const sandbox = await createSandbox({ port });
		cleanup.add(async () => await sandbox.close());
		progress.access = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
		task.title += ` (${note})`;
	},
});

const serviceStep = (access: ServiceAccess): Step => ({
	title: `Use the service at ${access.baseUrl}`,
	task: (progress) => {
		progress.access = access;
	},
});

const editorStep = (cleanup: Cleanup): Step => ({
	title: 'Start n8n',
	task: async (progress, task) => {
		const { port, note } = await choosePort(preferredPorts.n8n);
		progress.n8n = await startEditor(cleanup, port);
		task.title += ` (${note})`;
	},
});

const queueProgramsStep = (): Step => ({
	title: 'Find Redis and Postgres',
	task: (_, task) => {
		const { redis, postgres } = findQueuePrograms();
		task.title = `Redis and Postgres are installed (${redis}, ${postgres})`;
	},
});

const queueStep = (cleanup: Cleanup): Step => ({
	title: 'Start Redis, Postgres, and n8n with two workers',
	task: async (progress, task) => {
		const { port, note } = await choosePort(preferredPorts.n8n);
		progress.n8n = await startQueueEditor(cleanup, port);
		task.title += ` (${note})`;
	},
});

const tourStep = (target: Target): Step => ({
	title: 'Set up the credential and workflows, and run the tour',
	task: async (progress, task) => {
		const n8n = need(progress.n8n, 'n8n');
		const workflow = await storeWorkflows(n8n, target, need(progress.access, 'The service'));
		if (!workflow) {
			task.skip('Credential and workflows are set up. No instance ID was set for the tour');
			return;
		}
		progress.tour = { workflow, execution: await n8n.rest.runWorkflow(workflow.id) };
	},
});

/** Shows in the list of steps only where it stopped. The full message follows below the list. */
class StepStopped extends Error {
	constructor(readonly reason: unknown) {
		super('see below');
	}
}

const guarded = (cleanup: Cleanup, step: Step): Step => ({
	...step,
	task: async (progress, task) => {
		await unlessStopping(cleanup, async () => await step.task(progress, task)).catch(
			(reason: unknown) => {
				throw new StepStopped(reason);
			},
		);
	},
});

/**
 * Starts everything, step by step, and shows how long each step took. Whatever it starts is added to
 * `cleanup`.
 * @param inQueueMode whether n8n runs with workers, which needs Redis and Postgres
 * @throws when a step fails
 */
export async function runSteps(
	cleanup: Cleanup,
	target: Target,
	inQueueMode: boolean,
): Promise<Progress> {
	const steps = [
		...(inQueueMode ? [queueProgramsStep(), installStep()] : [installStep(), packStep()]),
		target.kind === 'sandbox' ? sandboxStep(cleanup) : serviceStep(target),
		inQueueMode ? queueStep(cleanup) : editorStep(cleanup),
		tourStep(target),
	];
	const shared = { timer: PRESET_TIMER };
	const list = new Listr<Progress, 'default', 'simple'>(
		steps.map((step) => guarded(cleanup, step)),
		{
			ctx: {},
			registerSignalListeners: false,
			renderer: 'default',
			fallbackRenderer: 'simple',
			rendererOptions: { ...shared, collapseSkips: false, collapseErrors: false },
			fallbackRendererOptions: shared,
		},
	);
	return await list.run().catch((stopped: unknown) => {
		throw stopped instanceof StepStopped ? stopped.reason : stopped;
	});
}
