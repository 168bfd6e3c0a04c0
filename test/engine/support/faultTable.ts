import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { RETRY_ON_FAIL } from '../../../nodes/WorkflowInstanceService/api/messages';
import { CONTINUE_TO_TAKE_APART } from '../../../nodes/WorkflowInstanceService/instance/bulkDelete/deletion';
import { collect, type Collection, KEY } from '../../docs/faults/collect';
import { linesWithin, reliabilityPage, unlaid } from '../../docs/faults/page';
import { takeUnexpectedRequests, useLocalServers } from '../../harness';
import { leaks } from './leaks';
import { watchThrown } from './thrown';

const PAGE = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'reliability.md'), 'utf8');
const REMAKE = 'If the change is wanted, run: npm run docs:reliability';

/** Conditions that stand for all: one for each way in which the node acts. */
export const SAMPLE: ReadonlySet<string> = new Set([
	'Nothing, for comparison',
	'400 with messages of fields',
	'429, Retry-After in seconds, once',
	'Redirect to another host',
	'Connection cut before the answer, once',
	'An instance with the wrong type in every field',
]);

/** Words without what only a stop says, and without how many instances they are about. */
function general(words: string): string {
	return words
		.replace(/^Batch \d of 3: /, '')
		.replace(RETRY_ON_FAIL, '')
		.replace(CONTINUE_TO_TAKE_APART, '')
		.replace(/(Deleted|Not deleted|Unknown): [\d, ]+\./g, '')
		.replace(/(one or more of )?2 instances|instance \d+/g, 'it')
		.replace(/\s+/g, ' ')
		.trim();
}

/**
 * The tests of what every operation does under every condition, with every setting.
 *
 * @param names the conditions to observe; default: all
 */
export function describeFaultTable(names?: ReadonlySet<string>): void {
	useLocalServers();
	let collection: Collection;
	let foreignRequests: string[];
	let thrown: unknown[];

	beforeAll(async () => {
		thrown = watchThrown();
		collection = await collect((_scenario, { name }) => names?.has(name) ?? true);
		foreignRequests = takeUnexpectedRequests();
		jest.restoreAllMocks();
	});

	test(`is as docs/reliability.md says. ${REMAKE}`, () => {
		if (names === undefined)
			return expect(unlaid(reliabilityPage(collection))).toEqual(unlaid(PAGE));
		const page = new Set(unlaid(PAGE));
		expect(linesWithin(PAGE, collection).filter((line) => !page.has(line))).toEqual([]);
	});

	test('says the same whatever the setting, but for what only concerns one', () => {
		const differing = collection.rows.flatMap(({ scenario, condition, observations }) => {
			const { stopWorkflow: stop, continueRegularOutput: on, continueErrorOutput } = observations;
			const { message, advice } = continueErrorOutput;
			const isSame =
				on.message === message &&
				on.advice === advice &&
				general(stop.message) === general(message) &&
				general(stop.advice) === general(advice);
			return isSame ? [] : [`${scenario.title}: ${condition.name}`];
		});
		expect(differing).toEqual([]);
	});

	test('never leaves a trace of the API key, in the record of the execution or in what is thrown', () => {
		const leaking = collection.rows.flatMap(({ scenario, condition, observations }) =>
			Object.values(observations)
				.flatMap(({ leaks: paths }) => paths)
				.map((path) => `${scenario.title}, ${condition.name}: ${path}`),
		);
		expect(leaking).toEqual([]);
		expect(thrown.length).toBeGreaterThan(0);
		expect(leaks(thrown, KEY)).toEqual([]);
	});

	test('never asks the server that redirects point to, or any other', () => {
		expect(collection.strayRequests).toBe(0);
		for (const request of foreignRequests) {
			expect(request).toMatch(/^(GET|PUT|POST) x{64}\.invalid\/api\//);
		}
	});
}
