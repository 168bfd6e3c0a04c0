import type { FastifyInstance, FastifyPluginCallback, RouteHandlerMethod } from 'fastify';
import type { Change } from '../data/model';
import type { FaultRule } from '../faults/rules';
import { INSTANCE_FIELDS } from '../interface/description';
import type { SandboxControl } from './control';
import { CHANGE, EXTRA_INSTANCES, FAULT_RULE, INSTANCE_PATH, SETTINGS } from './controlSchemas';
import type { SandboxSettings } from './settings';

/** What the routes need. */
interface ControlRouteOptions {
	control: SandboxControl;
}

const OVERVIEW = {
	'GET /control/settings': 'latencyMs, rateLimit, snapshotShape, unknownIds',
	'PATCH /control/settings': 'changes some of them',
	'GET /control/faults': 'rules of misbehaviour that still can apply',
	'POST /control/faults':
		'adds a rule: {match?, times?, action}; instances that never respond, for example: ' +
		'{"match": {"ids": [101, 102]}, "times": 0, "action": {"type": "hang"}}',
	'DELETE /control/faults': 'removes all rules',
	'POST /control/reset': 'everything as at the start',
	'POST /control/reseed': 'the instances as at the start',
	'GET /control/instances': 'ids of all instances',
	'POST /control/instances': 'adds running instances: {count}',
	'GET /control/instances/<id>': 'one instance as stored',
	'PATCH /control/instances/<id>':
		`changes it: state (running, completed, aborted), stepsDone, ` +
		INSTANCE_FIELDS.settable.filter((name) => name !== 'process').join(', '),
	'GET /control/log': 'requests received; ?since=<seq> for those after one',
	'DELETE /control/log': 'forgets the log, sets the counters to zero',
	'GET /control/stats': 'counters',
};

const noContent =
	(work: () => void): RouteHandlerMethod =>
	(_request, reply) => {
		work();
		reply.code(204).send();
	};

function settingsAndFaults(app: FastifyInstance, control: SandboxControl): void {
	app.get('/settings', () => control.settings());
	app.patch<{ Body: Partial<SandboxSettings> }>(
		'/settings',
		{ schema: { body: SETTINGS } },
		({ body }) => control.configure(body),
	);
	app.get('/faults', () => control.faults());
	app.post<{ Body: FaultRule }>(
		'/faults',
		{ schema: { body: FAULT_RULE } },
		async ({ body }, reply) => reply.code(201).send({ id: control.addFault(body) }),
	);
	app.delete('/faults', noContent(control.clearFaults));
}

function instances(app: FastifyInstance, control: SandboxControl): void {
	app.post('/reset', noContent(control.reset));
	app.post('/reseed', noContent(control.reseed));
	app.get('/instances', () => control.ids());
	app.post<{ Body: { count: number } }>(
		'/instances',
		{ schema: { body: EXTRA_INSTANCES } },
		async ({ body }, reply) => reply.code(201).send(control.addInstances(body.count)),
	);
	app.get<{ Params: { id: string } }>(
		'/instances/:id',
		{ schema: { params: INSTANCE_PATH } },
		async ({ params }, reply) => {
			const instance = control.instance(Number(params.id));
			return instance ?? reply.code(404).send({ detail: `There is no instance ${params.id}.` });
		},
	);
	app.patch<{ Params: { id: string }; Body: Change }>(
		'/instances/:id',
		{ schema: { params: INSTANCE_PATH, body: CHANGE } },
		async ({ params, body }, reply) => {
			const isChanged = control.change(Number(params.id), body);
			return isChanged
				? control.instance(Number(params.id))
				: reply.code(404).send({ detail: `There is no instance ${params.id}.` });
		},
	);
}

function requests(app: FastifyInstance, control: SandboxControl): void {
	app.get<{ Querystring: { since?: string } }>('/log', ({ query }) => {
		const since = Number(query.since ?? 0);
		return control.log().filter((entry) => entry.seq > since);
	});
	app.delete('/log', noContent(control.clearLog));
	app.get('/stats', () => control.stats());
}

/** The control over HTTP. It needs no key, because the sandbox listens only on 127.0.0.1. */
export const controlRoutes: FastifyPluginCallback<ControlRouteOptions> = (
	app,
	{ control },
	done,
) => {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser(
		'application/json',
		{ parseAs: 'string' },
		app.getDefaultJsonParser('error', 'error'),
	);
	app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) =>
		reply.code(error.statusCode ?? 500).send({ detail: error.message }),
	);
	app.get('/', () => OVERVIEW);
	app.all('/*', async (_request, reply) =>
		reply.code(404).send({ detail: 'See GET /control for what there is.' }),
	);
	settingsAndFaults(app, control);
	instances(app, control);
	requests(app, control);
	done();
};
