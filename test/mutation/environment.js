const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const { compileFunction } = vm;
const { prepareStackTrace } = Error;
const { console: ownConsole } = globalThis;
const { exit } = process;
const realm = {};

/** What jest keeps in the globals for the run of one file. */
const LEFT_BEHIND = new Set(['EVENT_HANDLERS', 'JEST_STATE_SYMBOL']);

// Installed packages are loaded by Node (see runtime.js), so all must live in Node's own realm, where
// an array is an array for everyone.
vm.compileFunction = (code, parameters, { parsingContext, ...options }) =>
	compileFunction(code, parameters, {
		...options,
		...(parsingContext !== realm && { parsingContext }),
	});

/** Skips what is left once a test has not passed: then the mutant is found. */
module.exports = class extends TestEnvironment {
	found = false;

	constructor(config, context) {
		super(config, context);
		this.global = Object.assign(globalThis, config.projectConfig.globals);
		// Those of the mutant before.
		for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
			if (LEFT_BEHIND.has(symbol.description)) Reflect.deleteProperty(globalThis, symbol);
		}
	}

	getVmContext() {
		return realm;
	}

	async teardown() {
		process.exit = exit;
		globalThis.console = ownConsole;
		Error.prepareStackTrace = prepareStackTrace;
		await super.teardown();
	}

	handleTestEvent(event) {
		if (event.name === 'test_fn_failure') this.found = true;
		if (!this.found) return;
		if (event.name === 'test_start') event.test.mode = 'skip';
		if (event.name === 'run_describe_start') event.describeBlock.mode = 'skip';
	}
};
