import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { FIELDS } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { settings } from '../engine/support/hostile';
import { runAsTool, runNode } from '../harness';
import { anUpdate, type Case, PARAMETERS } from './forms';
import * as judge from './judge';
import { disagree, type Expectation, type Refused } from './judge';
import { same } from './meaning';
import { type Handler, inputsOf, type Instance, useServer } from './service';
import type { Surroundings } from './update';

const NAMING = 'Names come from the process, says the service.';
const start = useServer();

/** What was seen of one item. */
interface Seen {
	json?: IDataObject;
	error?: Refused;
}
interface Observed {
	seen: Seen[];
	/** The error that stopped the run. */
	stop?: Refused & { item: number };
}
type Credentials = ReturnType<typeof start>;

function seenOf({ json, error }: Pick<INodeExecutionData, 'json' | 'error'>): Seen {
	const message = json.error ?? error?.message ?? (json.dryRun === true ? json.message : undefined);
	if (message === undefined) return { json };
	return { json, error: { message: String(message), rest: JSON.stringify([json, error]) } };
}

async function runWorkflow(one: Case, credentials: Credentials): Promise<Observed> {
	const { parameters, items, onError } = one;
	const { outputs, error } = await runNode({ parameters, items, onError, credentials });
	const seen = items.map((_, at): Seen => {
		const [own, ...others] = outputs.flat().filter((item) => inputsOf(item).includes(at));
		if (others.length > 0) return { error: { message: 'came out more than once', rest: '' } };
		return own ? seenOf(own) : {};
	});
	if (error === undefined) return { seen };
	const rest = JSON.stringify([error.description, error.context]);
	return { seen, stop: { message: error.message, rest, item: Number(error.itemIndex ?? 0) } };
}

/** Returns undefined where n8n's own tool took no notice of the call. */
async function runTool(one: Case, credentials: Credentials): Promise<Observed | undefined> {
	const { parameters, items, onError } = one;
	const agent = one.run === 'call' ? 'call' : 'request';
	const options = { parameters, onError, credentials };
	const { responses, error } = await runAsTool({ ...options, agent, calls: items, items: [{}] });
	if (error) return { seen: [{ error: { message: error.message, rest: `${error.description}` } }] };
	const { thrown, response } = responses[0] ?? {};
	const text = typeof thrown === 'string' ? thrown : response;
	// The tool's wrapper, which is n8n's, takes text only.
	if (String(text).includes('did not match expected schema')) return undefined;
	const isJson = typeof text === 'string' && /^\s*[[{]/.test(text);
	const [first] = [isJson ? JSON.parse(text) : text].flat();
	if (typeof first === 'string')
		return { seen: [{ error: { message: first, rest: JSON.stringify(responses) } }] };
	return { seen: [seenOf({ json: Object(first) })] };
}

/** The service of a case. Returns its log, too. */
function serviceOf({ instances: initial, isNaming, isBodyless }: Case) {
	const instances = new Map(initial.map((instance) => [Number(instance.id), instance]));
	const log: Array<{ method: string; path: string; id: number; body: Instance }> = [];
	const respond: Handler = ({ method, path, id, sent }) => {
		const body = sent === '' ? {} : JSON.parse(sent);
		log.push({ method, path, id, body });
		const instance = instances.get(id);
		if (instance === undefined) return [404, '{"detail":"Not found."}'];
		if (method !== 'PUT') return [200, JSON.stringify(instance)];
		if (isNaming && body.name) return [400, JSON.stringify({ name: [NAMING] })];
		const updated = updatedBy(instance, body);
		instances.set(id, updated);
		return isBodyless ? [204, ''] : [200, JSON.stringify(updated)];
	};
	return { log, respond };
}

type Log = ReturnType<typeof serviceOf>['log'];

const updatedBy = (instance: Instance, body: Instance): Instance => {
	return { ...instance, priority: null, ...body, last_updated_time: '2026-07-01T10:00:01Z' };
};

/** Judges an update whose name the service rejected: its error, or its second PUT. */
function judgeNaming(
	{ isLeavingOut }: Case,
	{ fields }: Expectation,
	error: Refused | undefined,
	body: Instance,
	second: Instance | undefined,
): void {
	const name = fields.find(({ field }) => field === 'name');
	if (error === undefined) {
		const wanted = { ...body, name: second?.name };
		const isAllowed = isLeavingOut && name?.mayStay && !second?.name;
		if (!isAllowed || !same(judge.sorted(wanted), judge.sorted({ ...second, name: second?.name })))
			disagree('another second PUT', body, second);
		return;
	}
	const text = error.message + error.rest;
	if (name?.mayStay && isLeavingOut) disagree('rejected name not left out', 'a second PUT', text);
	if (!text.includes(NAMING)) disagree('lacks the words of the service', NAMING, text);
	if (name?.mustStay && !text.includes('Leave Out Rejected Names'))
		disagree('lacks the advice', 'Leave Out Rejected Names', text);
}

/** Judges what became of a case. */
function judgeCase(one: Case, { seen, stop }: Observed, log: Log, where: Surroundings): void {
	const present = new Map(one.instances.map((instance) => [Number(instance.id), instance]));
	const queues = new Map(one.instances.map(({ id }): [number, Instance[]] => [Number(id), []]));
	for (const { method, id, body } of log) if (method === 'PUT') queues.get(id)?.push(body);
	one.forms.forEach((form, at) => {
		const id = Number(form.instanceId);
		const before = present.get(id) ?? {};
		const expectation = judge.expectationOf(form, where, before);
		const isShared = one.forms.filter(({ instanceId }) => Number(instanceId) === id).length > 1;
		const methods = isShared
			? []
			: log.filter((each) => each.id === id).map(({ method }) => method);
		const own: Seen = stop?.item === at ? { error: stop } : (seen[at] ?? {});
		const { json, error } = own;
		const queue = queues.get(id) ?? [];
		const [body] = queue;
		// Of items that share an instance, another one may have sent it.
		const isOwn = error === undefined || !isShared || JSON.stringify(error).includes(NAMING);
		const isRejected =
			one.isNaming && Boolean(body?.name) && !expectation.mustRefuseBefore && isOwn;
		if (error && !(body && isRejected)) return judge.judgeRefusal(expectation, error, methods);
		const isUnwritten =
			expectation.mayStay && isShared && body && !judge.fitsBody(expectation, body);
		if (body && !isUnwritten) {
			queue.shift();
			judge.judgeBody(expectation, body);
		}
		if (error && body) return judgeNaming(one, expectation, error, body, undefined);
		// Another item stopped the run.
		if (stop) return;
		if (json === undefined) disagree('item dropped', 'an item', seen);
		if (expectation.mustRefuse) disagree('not refused', expectation, body ?? json);
		if (form.isDryRun === true) return judge.judgeDryRun(expectation, json, before);
		if (!body || isUnwritten) {
			if (!expectation.mayStay) disagree('nothing written', expectation, json);
			// Whether it is read before or after another item changes it is not said.
			return isShared ? undefined : judge.judgeOutput(one, json, before);
		}
		if (expectation.mustStay) disagree('written though nothing changes', 'no PUT', body);
		const second = isRejected ? queue.shift() : undefined;
		if (isRejected) judgeNaming(one, expectation, error, body, second);
		if (!expectation.mayNeedRead && methods.includes('GET')) disagree('read', 'one PUT', methods);
		if (expectation.mustBeRead && methods[0] === 'PUT') disagree('not read', 'a GET', methods);
		const after = updatedBy(before, second ?? body);
		present.set(id, after);
		if (!one.isBodyless) return judge.judgeOutput(one, json, after);
		if (Number(json.id) !== id) disagree('no ID where the response has no body', id, json);
	});
	const others = [...queues.values()].flat();
	if (others.length > 0) disagree('more PUTs than items', [], others);
}

async function check(one: Case, log: Log, credentials: Credentials): Promise<void> {
	const where = { baseUrl: credentials.baseUrl };
	const all = one.forms.map((form) => {
		const present = one.instances.find(({ id }) => id === Number(form.instanceId)) ?? {};
		return judge.expectationOf(form, where, present);
	});
	const isDryRun = one.forms[0]?.isDryRun === true;
	const observe = one.run === 'workflow' ? runWorkflow : runTool;
	const observed = await observe(one, credentials).catch((error: unknown) => {
		// n8n itself refuses to start a workflow whose typed values are not valid.
		if (all.every(({ refusals }) => refusals.length === 0)) throw error;
	});
	if (observed === undefined) return;
	const { stop } = observed;
	const requests = log.map(({ method, path }) => `${method} ${path}`);
	const allowed = isDryRun ? /^GET \/instances\/\d+\/$/ : /^(GET|PUT) \/instances\/\d+\/$/;
	if (!requests.every((request) => allowed.test(request)))
		disagree('another request', allowed.source, requests);
	if (one.run === 'workflow' && one.onError === 'stopWorkflow' && !isDryRun) {
		if (!stop && all.some(({ mustRefuse }) => mustRefuse)) disagree('not stopped', all, requests);
		if (requests.length > 0 && all.some(({ mustRefuseBefore }) => mustRefuseBefore))
			disagree('requests before all items are checked', [], requests);
	} else if (stop) disagree('stopped', one.onError, stop);
	judgeCase(one, observed, log, where);
}

test('Update: each field of the form is in the model', () => {
	const forms = FIELDS.flatMap(({ form, edits = [] }) => [form, ...edits.map((edit) => edit.form)]);
	expect(forms.map(({ name }) => name).sort()).toEqual([...PARAMETERS, 'changeSteps'].sort());
});

test('Update does what the contract says', async () => {
	let respond: Handler = () => [0, ''];
	const credentials = start((request) => respond(request));
	const property = fc.asyncProperty(anUpdate(credentials.baseUrl), async (one) => {
		const service = serviceOf(one);
		respond = service.respond;
		await check(one, service.log, credentials);
	});
	await fc.assert(property, settings(Number(process.env.CASES ?? 80)));
}, 36_000_000);
