const { globSync } = require('node:fs');
const { resolve } = require('node:path');

/** Those that take minutes, or that test the harness. */
const LEFT_OUT = /\/(faults|harness|properties(?!Paths)\w*|\w+\.long)\.test\.ts$/;
/** The snapshots beside it have the names of its tests. */
const SNAPSHOTS = 'test/engine/description.test.ts';
/** One test that notices is enough: first those that need no engine, last those that wait for a service. */
const FAST = ['adaptiveLimit', 'limitJudge', 'pause', 'concurrencyLimiter', 'pushBacks'];
const SLOW = [
	'messages',
	'responses',
	'secrets',
	'trigger/events',
	'pace',
	'trigger/polls',
	'simulation',
];

const placeIn = (names, file) => names.findIndex((name) => file.endsWith(`/${name}.test.ts`));
const place = (file) => (placeIn(FAST, file) >= 0 ? -2 : placeIn(SLOW, file));

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
