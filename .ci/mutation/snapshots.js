const TEST = '.ci/mutation/engine.test.js';
const SNAPSHOTS = 'test/engine/__snapshots__/description.test.ts.snap';

/** The one file of mutation tests reads the snapshots of the one file of engine tests that has some. */
module.exports = {
	resolveSnapshotPath: (path) => path.replace(TEST, SNAPSHOTS),
	resolveTestPath: (path) => path.replace(SNAPSHOTS, TEST),
	testPathForConsistencyCheck: TEST,
};
