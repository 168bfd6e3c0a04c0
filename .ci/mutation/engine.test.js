const { globSync } = require('node:fs');
const { resolve } = require('node:path');

/** Those that take minutes, or that test the harness. */
const LEFT_OUT = /\/(faults|harness|properties(?!Paths)\w*|\w+\.long)\.test\.ts$/;
/** The snapshots beside it have the names of its tests. */
const SNAPSHOTS = 'test/engine/description.test.ts';
/** Those that wait for a service come last: the others notice most mutants, in a fraction of the time. */
const SLOW = [
	'messages',
	'responses',
	'secrets',
	'trigger/events',
	'pace',
	'trigger/polls',
	'simulation',
];

const place = (file) => SLOW.findIndex((name) => file.endsWith(`/${name}.test.ts`));

// One file, because each file loads n8n for itself, and that takes longer than its tests.
for (const file of globSync('test/{engine,simulation}/**/*.test.ts')
	.filter((name) => !LEFT_OUT.test(name) && name !== SNAPSHOTS)
	.sort((a, b) => place(a) - place(b) || a.localeCompare(b))) {
	describe(file, () => {
		require(resolve(file));
	});
}

require(resolve(SNAPSHOTS));

// After theirs, which are for busy machines: a mutant often makes a test wait for what never comes.
jest.setTimeout(30_000);
