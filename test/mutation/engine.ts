/**
 * All tests of the engine in one file, those that find most first. Loading n8n takes longer than most
 * tests, and a mutation run would do it for each file and each mutant.
 */
const FILES = [
	'words',
	'get',
	'items',
	'credential',
	'updateRefusals',
	'messages',
	'faultsWords',
	'update',
	'updateValues',
	'updateAnswers',
	'wholeParameters',
	'bulkDelete',
	'bulkDeleteTrouble',
	'schema',
	'deadline',
	'tool',
	'secrets',
	'retry',
	'waiting',
];

// Not in a block of its own, since a snapshot goes by the whole name of its test.
jest.requireActual('../engine/description.test');

for (const file of FILES) {
	describe(file, () => {
		jest.requireActual(`../engine/${file}.test`);
	});
}
