const { TestEnvironment } = require('jest-environment-node');

/** Skips what is left once a test has not passed: then the mutant is found. */
module.exports = class extends TestEnvironment {
	found = false;

	handleTestEvent(event) {
		if (event.name === 'test_fn_failure') this.found = true;
		if (!this.found) return;
		if (event.name === 'test_start') event.test.mode = 'skip';
		if (event.name === 'run_describe_start') event.describeBlock.mode = 'skip';
	}
};
