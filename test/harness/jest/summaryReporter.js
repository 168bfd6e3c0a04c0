/** Ends a run with one plain line, e.g. `412 passed, 0 failed`. */
module.exports = class SummaryReporter {
	onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
		const failed = numFailedTests + numRuntimeErrorTestSuites;
		process.stdout.write(`\n${numPassedTests} passed, ${failed} failed\n`);
	}
};
