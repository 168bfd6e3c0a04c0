// Runs in the folder of the packed files: a run of the node and a poll of the trigger meet a service
// that does not answer, and then answers the run alone. Prints what each of them had sent.
const { setTimeout: sleep } = require('node:timers/promises');

const NODE = './dist/nodes/WorkflowInstanceService/';
const { WorkflowInstanceService } = require(`${NODE}WorkflowInstanceService.node.js`);
const { WorkflowInstanceServiceTrigger } = require(`${NODE}WorkflowInstanceServiceTrigger.node.js`);

const ids = Array.from({ length: 50 }, (_, index) => index + 1);
const credentials = { baseUrl: 'https://service.example/api', apiKey: 'key-of-a-test' };

/** What n8n would give, as far as the node needs it. */
function context(parameters) {
	const sent = [];
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
			httpRequestWithAuthentication: () => new Promise((resolve) => sent.push(resolve)),
		},
	};
}

async function main() {
	const run = context({ instanceId: '7', output: 'simplified' });
	const poll = context({ instanceIds: ids.join(), events: ['completed'], output: 'simplified' });
	const counts = () => ({ ofTheRun: run.sent.length, ofThePoll: poll.sent.length });
	void new WorkflowInstanceService().customOperations.instance.get.call(run);
	void new WorkflowInstanceServiceTrigger().poll.call(poll);
	await sleep(200);
	const atFirst = counts();
	const body = Buffer.from(JSON.stringify({ id: 7, process: 'https://service.example/' }));
	run.sent[0]({ statusCode: 200, headers: {}, body });
	await sleep(200);
	process.stdout.write(JSON.stringify({ atFirst, afterOneAnswer: counts() }));
	process.exit(0);
}

void main();
