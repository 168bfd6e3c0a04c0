import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { runAsTool, runNode } from '../harness';
import { FIELDS } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { anUpdate, type Case, PARAMETERS } from './forms';
import {
	expected,
	fitsBody,
	judgeBody,
	judgeDryRun,
	judgeOutput,
	judgeRefusal,
	type Note,
	type Seen,
	show,
	sorted,
} from './judge';
import { report, settings } from './report';
import { type Entry, startService } from './service';
import { same } from './update';

const FORMS = Number(process.env.CASES ?? 60);
const NAMING = { name: ['Names come from the process, says the service.'] };

let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => void (service = await startService()));
afterAll(async () => await service.close());

const pairs = ({ pairedItem }: INodeExecutionData): number[] =>
	[pairedItem].flat().map((pair) => (typeof pair === 'object' ? pair.item : Number(pair)));

interface Observed {
	/** By item. */
	seen: Seen[];
	/** The error that stopped the run. */
	stop?: { message: string; rest: string; item: number };
}

const credentials = () => ({ baseUrl: service.baseUrl, apiKey: 'key-of-the-model' });

function errorOf({ json, error }: INodeExecutionData): Seen['error'] {
	const message = error?.message ?? (typeof json.error === 'string' ? json.error : undefined);
	if (message === undefined && json.message !== undefined && json.dryRun === true)
		return { message: String(json.message), rest: '' };
	return message === undefined
		? undefined
		: { message, rest: JSON.stringify([json, error?.description]) };
}

async function runWorkflow({ parameters, items, onError, timezone }: Case): Promise<Observed> {
	const { outputs, error } = await runNode({
		parameters,
		items,
		onError,
		timezone,
		credentials: credentials(),
	});
	const all = outputs.flat();
	const seen = items.map((_, at): Seen => {
		const mine = all.filter((item) => pairs(item).includes(at));
		if (mine.length > 1) return { error: { message: 'came out twice', rest: '' } };
		const [item] = mine;
		return item ? { json: item.json, error: errorOf(item) } : {};
	});
	if (!error) return { seen };
	return {
		seen,
		stop: {
			message: error.message,
			rest: JSON.stringify([error.description, error.context]),
			item: Number(error.itemIndex ?? 0),
		},
	};
}

async function runTool({ parameters, items, run, onError }: Case): Promise<Observed | undefined> {
	const agent = run === 'call' ? 'call' : 'request';
	const { responses, error, outputs } = await runAsTool({
		parameters,
		calls: items,
		items: [{}],
		agent,
		onError,
		credentials: credentials(),
	});
	const [response = {}] = responses;
	const text = typeof response.thrown === 'string' ? response.thrown : response.response;
	const parsed: unknown =
		typeof text === 'string' && /^\s*[[{]/.test(text) ? JSON.parse(text) : text;
	// The tool's wrapper, which is n8n's, takes text only.
	if (String(text).includes('did not match expected schema')) return undefined;
	const [first] = [parsed].flat();
	const json: IDataObject =
		typeof first === 'object' && first !== null ? (first as IDataObject) : {};
	if (error)
		return {
			seen: [{ error: { message: error.message, rest: JSON.stringify(error.description) } }],
		};
	const words = typeof first === 'string' ? first : errorOf({ json })?.message;
	void outputs;
	return {
		seen: [
			words === undefined
				? { json }
				: { json, error: { message: words, rest: JSON.stringify(responses) } },
		],
	};
}

async function check(one: Case): Promise<void> {
	const { state } = service;
	state.log = [];
	state.isBodyless = one.isBodyless;
	state.instances = new Map(one.instances.map((instance) => [Number(instance.id), instance]));
	state.rejection = ({ name }) =>
		one.isNaming && typeof name === 'string' && name !== '' ? NAMING : undefined;
	const note: Note = (kind, wanted, actual) => {
		report(
			`${one.run === 'workflow' ? 'update' : 'tool'}`,
			kind,
			{
				p: one.parameters,
				items: one.items,
				instances: one.instances,
				onError: one.onError,
				tz: one.timezone,
				run: one.run,
			},
			JSON.stringify(wanted),
			actual,
		);
	};
	let observed: Observed | undefined;
	const where = { baseUrl: service.baseUrl, timezone: one.timezone };
	const present = new Map(one.instances.map((instance) => [Number(instance.id), instance]));
	const idOf = (at: number) => Number(one.forms[at]?.instanceId.value);
	const first = one.forms.map((form, at) => expected(form, where, present.get(idOf(at)) ?? {}));
	try {
		observed = await (one.run === 'workflow' ? runWorkflow(one) : runTool(one));
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		// n8n itself refuses to start a workflow whose typed values are not valid.
		if (!first.some(({ refusals }) => refusals.length > 0))
			note('n8n refuses the form', 'no refusal', message);
		return;
	}
	if (observed === undefined) return;
	const { seen: all } = observed;
	const { log } = state;
	if (
		!log.every(
			({ method, path }) => /^(GET|PUT)$/.test(method) && /^\/api\/instances\/\d+\/$/.test(path),
		)
	)
		note('another request', 'GET or PUT', log);
	if (one.forms[0]?.isDryRun === true && log.some(({ method }) => method !== 'GET'))
		return note('dry run: written', 'no PUT', log);
	const isStop =
		one.onError === 'stopWorkflow' && one.forms[0]?.isDryRun !== true && one.run === 'workflow';
	const { stop } = observed;
	if (isStop && !stop && first.some(({ mustRefuse }) => mustRefuse)) {
		const bad = first.filter(({ mustRefuse }) => mustRefuse).map(({ refusals }) => refusals);
		return note(one.instances.length > 1 ? 'not stopped' : 'not refused', bad, log);
	}
	if (isStop && stop && first.some(({ mustRefuseBefore }) => mustRefuseBefore) && log.length > 0)
		note('request before all is checked', 'none', log);
	if (stop && !isStop) note('stopped all the same', one.onError, stop.message);
	const queues = new Map<number, Entry[]>();
	for (const entry of log)
		if (entry.method === 'PUT') {
			const id = Number(entry.path.split('/')[3]);
			queues.set(id, [...(queues.get(id) ?? []), entry]);
		}
	one.forms.forEach((form, at) => {
		const id = idOf(at);
		const before = present.get(id) ?? {};
		const expectation = expected(form, where, before);
		const queue = queues.get(id) ?? [];
		const isShared = one.forms.filter((_, other) => idOf(other) === id).length > 1;
		const own = isShared ? [] : log.filter(({ path }) => path === `/api/instances/${id}/`);
		const seen = all[at] ?? {};
		const error = stop?.item === at ? stop : seen.error;
		const head = queue[0]?.body;
		const isRejected = one.isNaming && typeof head?.name === 'string' && head.name !== '';
		if (error && isRejected && head && !expectation.mustRefuseBefore) {
			queue.shift();
			judgeBody(expectation, head, note);
			const name = expectation.fields.find(({ field }) => field === 'name');
			const text = error.message + error.rest;
			if (name?.mayStay && one.isLeavingOut)
				note('name: rejected and not omitted', 'a second PUT', text);
			if (name?.mustStay && !text.includes('Leave Out Rejected Names'))
				note('name: advice lacks the option', 'Leave Out Rejected Names', text);
			if (!text.includes(NAMING.name[0] ?? ''))
				note('name: without the words of the service', NAMING, text);
			return;
		}
		if (error) return judgeRefusal(expectation, error, own, note);
		if (stop) {
			// Stopped by another item: this one may have been written.
			const body = queue.shift()?.body;
			if (body) judgeBody(expectation, body, note);
			return;
		}
		if (seen.json === undefined) return note('item dropped', 'an item', all);
		if (expectation.mustRefuse) return note('not refused', show(expectation), head ?? seen.json);
		if (form.isDryRun === true) return judgeDryRun(expectation, seen.json, before, note);
		const isOptional =
			expectation.mayStay && (head === undefined || (isShared && !fitsBody(expectation, head)));
		if (head === undefined || isOptional) {
			if (!expectation.mayStay) note('nothing written', show(expectation), seen.json);
			return judgeOutput(one, seen.json, before, note);
		}
		queue.shift();
		if (expectation.mustStay) note('written though nothing changes', 'no PUT', head);
		judgeBody(expectation, head, note);
		let body = head;
		if (isRejected) {
			const again = queue.shift()?.body;
			if (again === undefined)
				return note('name: rejected and reported as done', 'an error', seen.json);
			if (!one.isLeavingOut || (again.name ?? '') !== '')
				note('name: sent again', one.isLeavingOut, again);
			const name = expectation.fields.find(({ field }) => field === 'name');
			if (name && !name.mayStay) note('name: set, and omitted', 'an error', again);
			if (!same(sorted({ ...again, name: 0 }), sorted({ ...head, name: 0 })))
				note('name: second PUT differs', head, again);
			body = again;
		}
		if (expectation.isAllSaid && own.some(({ method }) => method === 'GET'))
			note('read without need', 'one PUT', own);
		if (expectation.mustBeRead && own.length > 0 && own[0]?.method !== 'GET')
			note('written without a read', 'a GET', own);
		if (one.isBodyless) {
			if (Number(seen.json.id) !== id) note('output: no ID without a body', id, seen.json);
			present.set(id, { ...before, priority: null, ...body });
			return;
		}
		const after = { ...before, priority: null, ...body, last_updated_time: '2026-07-01T10:00:01Z' };
		present.set(id, after);
		judgeOutput(one, seen.json, after, note);
	});
	for (const [id, remaining] of queues)
		if (remaining.length > 0) note('more PUTs than items', id, remaining);
}

test('Update: each field of the form is in the model', () => {
	const forms = FIELDS.flatMap(({ form, edits = [] }) => [form, ...edits.map((edit) => edit.form)]);
	expect(forms.map(({ name }) => name).sort()).toEqual([...PARAMETERS, 'changeSteps'].sort());
});

test('Update does what the contract says', async () => {
	await fc.assert(fc.asyncProperty(anUpdate(service.baseUrl), check), settings(FORMS));
}, 36_000_000);
