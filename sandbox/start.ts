import { mkdirSync } from 'node:fs';

import Table from 'cli-table3';
import getPort from 'get-port';
import { lock } from 'proper-lockfile';

import { isRecord, messageOf } from './guards';
import type { N8n } from './n8n/server';
import { DEFAULT_PORT } from './service';
import { createCleanup, exitOnSignals } from './start/cleanup';
import type { Cleanup } from './start/cleanup';
import { openDoor } from './start/door';
import { outcomesOf, reasonOf } from './start/outcome';
import { logFile, stateFolder } from './start/session';
import type { ServiceAccess, TourRun } from './start/session';
import { runSteps } from './start/steps';
import { instanceIdVariable, readTarget } from './start/target';

/** If a start is killed, its lock expires after ten seconds. By then its children have ended too. */
const untilAbandoned = { retries: 11, factor: 1, minTimeout: 1_000 };
const onceFlag = '--once';
const queueFlag = '--queue';
const successStatus = 'success';

const say = (text: string) => process.stdout.write(`${text}\n`);

async function holdStartLock(cleanup: Cleanup): Promise<void> {
	mkdirSync(stateFolder, { recursive: true });
	const lockfilePath = `${stateFolder}/running.lock`;
	const held = lock(stateFolder, { lockfilePath, retries: untilAbandoned });
	const release = await held.catch((error: unknown) => {
		if (!isRecord(error) || error.code !== 'ELOCKED') throw error;
		throw new Error('Another `npm start` is running here. Stop it with Ctrl-C first.');
	});
	cleanup.add(release);
}

/** Shows how the tour went. Returns true if it succeeded. */
function showTour(tour: TourRun | undefined): boolean {
	if (!tour) {
		say(
			`\nThe tour was skipped. To run it, set ${instanceIdVariable} to the ID of an instance that it may read,`,
		);
		say('then start again.');
		return false;
	}
	const table = new Table({
		head: ['Step', 'Outcome', 'Items', 'Result'],
		style: { head: [], border: [], compact: true },
		// Together with the borders 80 columns, as many as any terminal has.
		colWidths: [18, 9, 12, 36],
		wordWrap: true,
	});
	for (const { step, outcome, items, result } of outcomesOf(tour.workflow, tour.execution)) {
		table.push([step, outcome, items, result]);
	}
	say(`\n${tour.workflow.name}\n${table.toString()}`);
	const success = tour.execution.status === successStatus;
	if (success) say('The tour succeeded: every step did what it should.');
	else {
		say(`The tour stopped early. n8n says: ${reasonOf(tour)}`);
		say(`n8n's log is in ${logFile}.`);
	}
	return success;
}

/** Nobody works in the sandbox, so without this command the trigger never has anything to report. */
function sayHowToComplete({ baseUrl }: ServiceAccess): void {
	const { port } = new URL(baseUrl);
	const option = port === String(DEFAULT_PORT) ? '' : ` --port ${port}`;
	say(`To complete an instance in the sandbox: npm run sandbox -- complete 102${option}`);
}

async function stayOpen(n8n: N8n, tour: TourRun | undefined, cleanup: Cleanup): Promise<void> {
	const path = tour ? `/workflow/${tour.workflow.id}` : '/home/workflows';
	const door = await openDoor(n8n, await getPort(), path);
	cleanup.add(async () => await door.close());
	say(`\nThe editor, already signed in:  ${door.url}`);
	say(`Or sign in at ${n8n.url} as ${n8n.owner.email} with ${n8n.owner.password}`);
	say('Press Ctrl-C to stop everything.');
	const { code } = await n8n.exited;
	if (cleanup.begun()) return;
	throw new Error(`n8n stopped unexpectedly (exit code ${code}). Its last lines:\n${n8n.logs(20)}`);
}

async function main(cleanup: Cleanup): Promise<number> {
	const target = readTarget(process.env);
	const inQueueMode = process.argv.includes(queueFlag);
	await holdStartLock(cleanup);
	const { n8n, tour, access } = await runSteps(cleanup, target, inQueueMode);
	const success = showTour(tour);
	if (n8n && !process.argv.includes(onceFlag)) {
		if (access && target.kind === 'sandbox') sayHowToComplete(access);
		await stayOpen(n8n, tour, cleanup);
	} else if (success)
		say(`To see it in the editor, run: npm start${inQueueMode ? ` -- ${queueFlag}` : ''}`);
	return success ? 0 : 1;
}

async function start(): Promise<void> {
	const cleanup = createCleanup();
	exitOnSignals(cleanup);
	const exitCode = await main(cleanup).catch((error: unknown) => {
		process.stderr.write(`\n${messageOf(error)}\n`);
		return 1;
	});
	// If a signal arrived first, its handler ends the process with its own exit code.
	if (cleanup.begun()) return;
	await cleanup.run();
	process.exit(exitCode);
}

void start();
