/**
 * Tests of the engine in one file, the quick ones that find most first. Loading n8n takes longer than most tests,
 * and a mutation run would do it for each file and each mutant. Left out: those that take minutes (the
 * properties, the faults) and those of the harness.
 */
const FILES = [
	'get',
	'updateValues',
	'credential',
	'words',
	'updateRefusals',
	'faultsWords',
	'bulkDelete',
	'update',
	'wholeParameters',
	'deadline',
	'schema',
	'updateAnswers',
	'tool',
	'messages',
	'items',
	'secrets',
	'retry',
	'bulkDeleteTrouble',
	'waiting',
];

// Not in a block of its own, since a snapshot goes by the whole name of its test.
jest.requireActual('../engine/description.test');

for (const file of FILES) {
	describe(file, () => {
		jest.requireActual(`../engine/${file}.test`);
	});
}
