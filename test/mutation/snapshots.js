const { join } = require('node:path');

const TEST = join('test', 'mutation', 'engine.ts');
const SNAPSHOT = join('test', 'engine', '__snapshots__', 'description.test.ts.snap');

/** The snapshot that the tests of the engine have, too. */
module.exports = {
	resolveSnapshotPath: (path) => path.replace(TEST, SNAPSHOT),
	resolveTestPath: (path) => path.replace(SNAPSHOT, TEST),
	testPathForConsistencyCheck: TEST,
};
