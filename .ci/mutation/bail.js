const { addEventHandler } = require('jest-circus');

/** It reads the source, which Stryker rewrites. */
const READS_SOURCE = 'are all there: every place that makes one has made one';

// One test that notices a mutant is enough.
let noticed = false;

addEventHandler(({ name, test }) => {
	if (name === 'test_done' && test.errors.length > 0) noticed = true;
	if (name === 'test_start' && (noticed || test.name === READS_SOURCE)) test.mode = 'skip';
});
