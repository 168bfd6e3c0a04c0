// Runs in the folder of the packed files: a run of the node has as many requests in flight as may be
// when a poll of the trigger begins. Prints what each of them had sent, before and after two responses.
const { EventEmitter, once } = require('node:events');
const { setImmediate: turn } = require('node:timers/promises');

const NODE = './dist/nodes/WorkflowInstanceService/';
const { WorkflowInstanceService } = require(`${NODE}WorkflowInstanceService.node.js`);
const { WorkflowInstanceServiceTrigger } = require(`${NODE}WorkflowInstanceServiceTrigger.node.js`);

const FIRST_LIMIT = 10;
const ids = Array.from({ length: 50 }, (_, index) => index + 1);
const credentials = { baseUrl: 'https://service.example/api', apiKey: 'key-of-a-test' };

const service = new EventEmitter();

/** What n8n provides, as far as the node needs it. */
function context(parameters) {
	const sent = [];
	const send = (resolve) => {
		sent.push(resolve);
		service.emit('request');
	};
	return {
		sent,
		continueOnFail: () => false,
		getCredentials: async () => credentials,
		getExecuteData: () => ({}),
		getExecutionCancelSignal: () => undefined,
		getInputData: () => ids.map((id) => ({ json: { id } })),
		getMode: () => 'trigger',
		getNode: () => ({ name: 'Test', parameters }),
		getNodeParameter: (name, ...rest) => parameters[name] ?? rest.at(-1),
		getTimezone: () => 'UTC',
		getWorkflowStaticData: () => ({}),
		helpers: {
			httpRequestWithAuthentication: () => new Promise(send),
		},
	};
}

async function main() {
	const run = context({ instanceId: '7', output: 'simplified' });
	const poll = context({ instanceIds: ids.join(), events: ['completed'], output: 'simplified' });
	const counts = () => ({ ofTheRun: run.sent.length, ofThePoll: poll.sent.length });
	void new WorkflowInstanceService().customOperations.instance.get.call(run);
	while (run.sent.length < FIRST_LIMIT) await once(service, 'request');
	void new WorkflowInstanceServiceTrigger().poll.call(poll);
	// Nothing that the poll does before its first request takes time.
	for (let turns = 0; turns < 100; turns++) await turn();
	const atFirst = counts();
	const body = Buffer.from(JSON.stringify({ id: 7, process: 'https://service.example/' }));
	for (const respond of run.sent.slice(0, 2)) {
		respond({ statusCode: 200, headers: {}, body });
		await once(service, 'request');
	}
	process.stdout.write(JSON.stringify({ atFirst, afterTwoResponses: counts() }));
	process.exit(0);
}

void main();
