/** The one file of mutation tests reads the snapshots of the one file of engine tests that has some. */
module.exports = {
	resolveSnapshotPath: (path) =>
		path.replace(
			'.ci/mutation/engine.test.js',
			'test/engine/__snapshots__/description.test.ts.snap',
		),
	resolveTestPath: (path) =>
		path.replace(
			'test/engine/__snapshots__/description.test.ts.snap',
			'.ci/mutation/engine.test.js',
		),
	testPathForConsistencyCheck: '.ci/mutation/engine.test.js',
};
