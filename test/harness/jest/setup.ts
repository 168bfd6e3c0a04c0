import { Expression } from 'n8n-workflow';
import { expressionEngine } from '../expressionEngine';
import { watchRequests } from '../network';

// A request to another machine fails the test.
const elsewhere: string[] = [];
const endWatch = watchRequests(({ host, method, path }) => {
	if (!/^(127\.0\.0\.1|localhost)$/.test(host)) elsewhere.push(`${method} ${host}${path}`);
});
afterEach(() => expect(elsewhere.splice(0)).toEqual([]));
afterAll(endWatch);

// As n8n does at start-up (base-command.js of the package n8n), with the defaults of N8N_EXPRESSION_ENGINE_*.
beforeAll(async () => {
	await Expression.initExpressionEngine({
		engine: expressionEngine(),
		poolSize: 1,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
	});
});
afterAll(async () => await Expression.disposeExpressionEngine());
