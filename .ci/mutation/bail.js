const { addEventHandler } = require('jest-circus');

// One test that notices a mutant is enough; jest's own bail only skips the files after it.
let noticed = false;

addEventHandler(({ name, test }) => {
	if (name === 'test_done' && test.errors.length > 0) noticed = true;
	if (name === 'test_start' && noticed) test.mode = 'skip';
});
