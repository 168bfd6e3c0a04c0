import { Expression } from 'n8n-workflow';
import { expressionEngine } from '../expressionEngine';
import { installNetworkGuard } from '../network';

installNetworkGuard();

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
