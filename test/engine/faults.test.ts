import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { collect, type Collection, KEY } from '../docs/faults/collect';
import { linesWithin, reliabilityPage, unlaid } from '../docs/faults/page';
import { expressionEngine, takeUnexpectedRequests, useLocalServers } from '../harness';
import { leaks } from './support/leaks';
import { watchThrown } from './support/thrown';

jest.setTimeout(300_000);

const PAGE = readFileSync(join(__dirname, '..', '..', 'docs', 'reliability.md'), 'utf8');
const REMAKE = 'If the change is wanted, run: npm run docs:reliability';

/** On the vm engine, which changes nothing about requests, these stand for all. */
const SAMPLE = new Set([
	'Nothing, for comparison',
	'400 with messages of fields',
	'429, Retry-After in seconds, once',
	'Redirect to another host',
	'Connection cut before the answer, once',
	'An instance with the wrong type in every field',
]);

describe('every operation under every condition, with every setting', () => {
	useLocalServers();
	let collection: Collection;
	let foreignRequests: string[];
	let thrown: unknown[];

	beforeAll(async () => {
		thrown = watchThrown();
		collection =
			expressionEngine() === 'vm'
				? await collect((_scenario, { name }) => SAMPLE.has(name))
				: await collect();
		foreignRequests = takeUnexpectedRequests();
		jest.restoreAllMocks();
	});

	test(`is as docs/reliability.md says. ${REMAKE}`, () => {
		if (expressionEngine() === 'vm') {
			expect(linesWithin(PAGE, collection).filter((line) => !unlaid(PAGE).includes(line))).toEqual(
				[],
			);
			return;
		}
		expect(unlaid(reliabilityPage(collection))).toEqual(unlaid(PAGE));
	});

	test('says the same whatever the setting', () => {
		const differing = collection.rows.flatMap(({ scenario, condition, observations }) => {
			const { stopWorkflow: stop, continueRegularOutput: on, continueErrorOutput } = observations;
			const { message, advice } = continueErrorOutput;
			const isSame =
				on.message === message &&
				on.advice === advice &&
				stop.message.replace(/^Batch \d of 3: /, '') === message &&
				(stop.told === undefined ? stop.advice === advice : stop.advice.startsWith(advice));
			return isSame ? [] : [`${scenario.title}: ${condition.name}`];
		});
		expect(differing).toEqual([]);
	});

	test('never leaves a trace of the API key in the record of the execution', () => {
		const leaking = collection.rows.flatMap(({ scenario, condition, observations }) =>
			Object.values(observations)
				.flatMap(({ leaks }) => leaks)
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
});
