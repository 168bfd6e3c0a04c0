import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { FIELDS } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { settings } from '../engine/support/hostile';
import { runNode } from '../harness';
import { anUpdate, type Case, PARAMETERS } from './forms';
import * as judge from './judge';
import { disagree, type Refused } from './judge';
import { same } from './meaning';
import { type Handler, inputsOf, type Instance, useServer } from './service';

const start = useServer();

/** What was seen of the items, and the error that stopped the run. */
interface Observed {
	seen: Array<{ json?: IDataObject; error?: Refused }>;
	stop?: Refused & { item: number };
}
type Credentials = ReturnType<typeof start>;

async function observe(one: Case, credentials: Credentials): Promise<Observed> {
	const { parameters, items, onError } = one;
	const { outputs, error } = await runNode({ parameters, items, onError, credentials });
	const seen = items.map((_, at): Observed['seen'][number] => {
		const [own, ...others] = outputs.flat().filter((item) => inputsOf(item).includes(at));
		if (others.length > 0) disagree('came out more than once', [], others);
		const message = own?.json.error ?? own?.error?.message;
		if (message === undefined) return { json: own?.json };
		return { error: { message: String(message), rest: JSON.stringify(own) } };
	});
	if (error === undefined) return { seen };
	const rest = JSON.stringify([error.description, error.context]);
	return { seen, stop: { message: error.message, rest, item: Number(error.itemIndex ?? 0) } };
}

/** The service of a case. Returns its log, too. */
function serviceOf({ instances: initial }: Case) {
	const instances = new Map(initial.map((instance) => [Number(instance.id), instance]));
	const log: Array<{ method: string; path: string; id: number; body: Instance }> = [];
	const respond: Handler = ({ method, path, id, sent }) => {
		const body = sent === '' ? {} : JSON.parse(sent);
		log.push({ method, path, id, body });
		const instance = instances.get(id);
		if (instance === undefined) return [404, '{"detail":"Not found."}'];
		if (method !== 'PUT') return [200, JSON.stringify(instance)];
		const updated = updatedBy(instance, body);
		instances.set(id, updated);
		return [200, JSON.stringify(updated)];
	};
	return { log, respond };
}

type Log = ReturnType<typeof serviceOf>['log'];

const updatedBy = (instance: Instance, body: Instance): Instance => {
	return { ...instance, priority: null, ...body, last_updated_time: '2026-07-01T10:00:01Z' };
};

/** Judges what became of a case. */
function judgeCase(one: Case, { seen, stop }: Observed, log: Log, baseUrl: string): void {
	const present = new Map(one.instances.map((instance) => [Number(instance.id), instance]));
	const queues = new Map(one.instances.map(({ id }): [number, Instance[]] => [Number(id), []]));
	for (const { method, id, body } of log) if (method === 'PUT') queues.get(id)?.push(body);
	one.forms.forEach((form, at) => {
		const id = Number(form.instanceId);
		const before = present.get(id) ?? {};
		const expectation = judge.expectationOf(form, baseUrl, before);
		const isShared = one.forms.filter(({ instanceId }) => Number(instanceId) === id).length > 1;
		const methods = isShared
			? []
			: log.filter((each) => each.id === id).map(({ method }) => method);
		const { json, error = stop?.item === at ? stop : undefined } = seen[at] ?? {};
		const queue = queues.get(id) ?? [];
		const [body] = queue;
		if (error) return judge.judgeRefusal(expectation, error, methods);
		// Of items that share an instance, another one may have sent it.
		const isUnwritten =
			expectation.mayStay && isShared && body && !judge.fitsBody(expectation, body);
		if (body && !isUnwritten) {
			queue.shift();
			judge.judgeBody(expectation, body);
		}
		// Another item stopped the run.
		if (stop) return;
		if (json === undefined) disagree('item dropped', 'an item', seen);
		if (expectation.mustRefuse) disagree('not refused', expectation, body ?? json);
		const after = body && !isUnwritten ? updatedBy(before, body) : before;
		present.set(id, after);
		// Whether it is read before or after another item changes it is not said.
		const isKnown = after !== before || !isShared;
		if (isKnown && !same(judge.sorted(json), judge.sorted(after)))
			disagree('another output', after, json);
		if (after === before) {
			if (!expectation.mayStay) disagree('nothing written', expectation, json);
			return;
		}
		if (expectation.mustStay) disagree('written though nothing changes', 'no PUT', body);
		if (!expectation.mayNeedRead && methods.includes('GET')) disagree('read', 'one PUT', methods);
		if (expectation.mustBeRead && methods[0] === 'PUT') disagree('not read', 'a GET', methods);
	});
	const others = [...queues.values()].flat();
	if (others.length > 0) disagree('more PUTs than items', [], others);
}

async function check(one: Case, log: Log, credentials: Credentials): Promise<void> {
	const { baseUrl } = credentials;
	const all = one.forms.map((form) => {
		const present = one.instances.find(({ id }) => id === Number(form.instanceId)) ?? {};
		return judge.expectationOf(form, baseUrl, present);
	});
	const observed = await observe(one, credentials).catch((error: unknown) => {
		// n8n itself refuses to start a workflow whose typed values are not valid.
		if (all.every(({ refusals }) => refusals.length === 0)) throw error;
	});
	if (observed === undefined) return;
	const { stop } = observed;
	const requests = log.map(({ method, path }) => `${method} ${path}`);
	const others = requests.filter((request) => !/^(GET|PUT) \/instances\/\d+\/$/.test(request));
	if (others.length > 0) disagree('other requests', [], others);
	if (one.onError === 'stopWorkflow') {
		if (!stop && all.some(({ mustRefuse }) => mustRefuse)) disagree('not stopped', all, requests);
		if (requests.length > 0 && all.some(({ mustRefuseBefore }) => mustRefuseBefore))
			disagree('requests before all items are checked', [], requests);
	} else if (stop) disagree('stopped', one.onError, stop);
	judgeCase(one, observed, log, baseUrl);
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
