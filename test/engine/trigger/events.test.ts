import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import { EVENTS } from '../../../nodes/WorkflowInstanceService/trigger/events';
import { createTrigger, type Trigger } from '../../harness';

type Value = IDataObject[string];

const BASE_URL = 'https://service.example/api';
const credentials = { baseUrl: BASE_URL, apiKey: 'key-of-a-test' };
const RUNNING = {
	id: 7,
	process: `${BASE_URL}/processes/11/`,
	completed_time: null,
	aborted_time: null,
	deadline: null,
	last_updated_time: '2026-01-01T08:00:00Z',
};
const [TODAY, DONE] = ['2026-07-01T00:00:00Z', '2026-06-30T10:00:00Z'];
const [PAST, FUTURE] = ['2026-06-01T00:00:00Z', '2026-08-01T00:00:00Z'];

beforeAll(() => nock.disableNetConnect());
afterEach(() => {
	jest.restoreAllMocks();
	nock.cleanAll();
});
afterAll(() => nock.restore());

const parametersOf = (events: readonly string[], options: INodeParameters = {}) => ({
	parameters: { instanceIds: '7', events: [...events], options, output: 'raw' },
});
const watch = async (events: readonly string[], options?: INodeParameters) =>
	await createTrigger({ credentials, ...parametersOf(events, options) });

/** The fields of an instance, or a status without an instance. */
type Sight = IDataObject | number;

/** Polls while the service returns the instance like this. */
async function see(trigger: Trigger, fields: Sight, { now = TODAY, activates = false } = {}) {
	const [status, body] =
		typeof fields === 'number'
			? [fields, { detail: 'Not found.' }]
			: [200, { ...RUNNING, ...fields }];
	const date = now && new Date(now).toUTCString();
	const { id = RUNNING.id } = body;
	nock(BASE_URL)
		.get(`/instances/${id}/`)
		.reply(status, body, date ? { date } : {});
	return await (activates ? trigger.activate() : trigger.poll());
}

/** The events in items, each with what changed. */
const eventsIn = (items: IDataObject[] | null) =>
	items?.map(({ event, changes }) => [event, changes]) ?? null;

/** What polls emit about an instance that is seen in these states, one after another, and what is stored in the end. */
async function story(events: string[], sights: Sight[], options: INodeParameters = {}) {
	const trigger = await watch(events, options);
	const emitted: Array<Awaited<ReturnType<typeof see>>> = [];
	for (const [index, sight] of sights.entries()) {
		emitted.push(await see(trigger, sight, { activates: index === 0 }));
	}
	return { emitted, events: emitted.map(eventsIn), saved: trigger.saved() };
}

const [STEP, STEP_2] = [1, 2].map((step_id) => ({ step_id, user_id: 2 }));
const STEP_AS_TEXT = { user_id: '2', step_id: '1' };
const ASSIGNMENTS: Values = [[STEP, STEP_2], [STEP_2, STEP_AS_TEXT], [STEP]];
const JUNE = '2026-06-01T10:00:00Z';
const JUNE_HERE = '2026-06-01T12:00:00+02:00';
const IN_JUNE = 1_780_308_000;
/** When the instance was first seen, in seconds. */
const at = Date.parse(TODAY) / 1000;

/** One value after another. To the trigger, the second is the same as the first. */
type Values = [was: Value, same: Value, becomes: Value];
type Row = [letter: string, event: string, field: string, Values, hash: string];

/** Published triggers rely on what is stored, and workflows on the IDs of events: they never change. */
const ROWS: Row[] = [
	['p', 'activeStepsChanged', 'active_step_ids', [[1, 2], ['2', '1'], [2]], '0dfe800af280b8ec'],
	['d', 'deadlineChanged', 'deadline', [JUNE, JUNE_HERE, null], 'efaee71e841b5610'],
	['d', 'deadlineChanged', 'deadline', [null, null, 'soon'], '2d56d3f81a787d1f'],
	['n', 'nameChanged', 'name', ['Old', 'Old', 'New'], '4aecaeeb3fcd45b2'],
	['n', 'nameChanged', 'name', [JUNE, JUNE, JUNE_HERE], '3e8368235802562c'],
	['n', 'nameChanged', 'name', ['', null, 'New'], 'b1e0b4b79d82fac3'],
	['r', 'priorityChanged', 'priority', [null, null, 'H'], '8872253390cc3028'],
	['s', 'stageChanged', 'stage', ['Review', 'Review', 'Done'], '7e898ffd0c5e6c02'],
	['u', 'stepAssignmentsChanged', 'step_assignments', ASSIGNMENTS, '62c30d6c5dcd0546'],
	['t', 'tagsChanged', 'tags', [['a', 'b'], ['b', 'a'], ['a']], '6c926a7bd98f54bc'],
	['a', 'aborted', 'aborted_time', [null, '', JUNE_HERE], 'fcd260a102196b89'],
	['c', 'completed', 'completed_time', [null, null, JUNE], '64f8f1057f71daef'],
	['o', 'overdue', 'deadline', [null, FUTURE, JUNE], 'd2c703c4989e788e'],
];
const NOT_FOUND = ['notFound', 'f'] as const;

test('Each event has a row here, its own letter, and its own label', () => {
	const letters = EVENTS.map(({ letter }) => letter);
	expect(letters.filter((letter, index) => letters.indexOf(letter) !== index)).toEqual([]);
	const rows = new Map([...ROWS.map(([letter, event]) => [event, letter] as const), NOT_FOUND]);
	expect(new Map(EVENTS.map(({ name, letter }) => [name, letter]))).toEqual(rows);
	expect(new Set(EVENTS.map(({ label }) => label)).size).toBe(EVENTS.length);
});

/** The hash of an ID also depends on the base URL, and on when the instance was first seen. */
test.each(ROWS)('Letter %s stores %s, emitted once', async (letter, event, field, values, hash) => {
	const [was, , becomes] = values;
	const sights = [...values, becomes].map((value) => ({ [field]: value }));
	const { emitted, saved } = await story([event], sights, { keepFinished: true });
	const changes = { [field]: { from: was, to: becomes } };
	const instance = { ...RUNNING, [field]: becomes };
	const item = { event, eventId: `7-${event}-${hash}`, changes, instance };
	expect(emitted).toEqual([null, null, [item], null]);
	const last = event.endsWith('Changed') ? becomes : IN_JUNE;
	const service = expect.stringMatching(/^[\da-f]{16}$/);
	const ids = { 7: { at, count: 1, last: { [letter]: last } } };
	expect(saved).toEqual({ for: service, ids, queue: [] });
});

test('Not Found is emitted once, with only the ID, and again if the instance was found in between', async () => {
	const gone = (hash: string) => [
		{ event: 'notFound', eventId: `7-notFound-${hash}`, changes: {}, instance: { id: 7 } },
	];
	const { emitted, saved } = await story(['notFound'], [{}, 404, 404, {}, 410]);
	expect(emitted).toEqual([null, gone('f0c82737641b08a3'), null, [], gone('4feb2763fcc306fa')]);
	expect(saved.ids).toEqual({ 7: { at, count: 2, last: { f: 1 } } });
});

test('Not Found is also emitted if it is only chosen after the instance was deleted', async () => {
	const trigger = await watch(['completed']);
	await see(trigger, {}, { activates: true });
	await trigger.restart(parametersOf(['completed', 'notFound']));
	expect(eventsIn(await see(trigger, 404))).toEqual([['notFound', {}]]);
	expect(await see(trigger, 404)).toBeNull();
});

test('Not Found has another ID after it was removed and added, even if its record was lost', async () => {
	const events = ['nameChanged', 'notFound'];
	const trigger = await watch(events);
	await see(trigger, {}, { activates: true });
	const before = trigger.saved();
	const lost = await see(trigger, 404);
	await trigger.restart({ saved: before });
	await trigger.restart(parametersOf(['nameChanged']));
	await see(trigger, {}, { activates: true });
	await trigger.restart(parametersOf(events));
	const emitted = await see(trigger, 404);
	expect(emitted).toMatchObject([{ event: 'notFound' }]);
	expect(emitted?.[0]?.eventId).not.toBe(lost?.[0]?.eventId);
});

test('An event has the same ID when it is detected again, even if a field appears in between', async () => {
	const trigger = await watch(['stageChanged', 'nameChanged']);
	await see(trigger, { stage: undefined, name: 'Old' }, { activates: true });
	const before = trigger.saved();
	const lost = await see(trigger, { stage: undefined, name: 'New' });
	await trigger.restart({ saved: before });
	const repeated = await see(trigger, { stage: 'A', name: 'New' });
	expect(repeated).toMatchObject([{ event: 'nameChanged', eventId: lost?.[0]?.eventId }]);
});

test('While an instance is not found, what it was before stays', async () => {
	const overdue = { stage: 'A', deadline: PAST };
	const sights = [{ stage: 'A' }, overdue, 404, overdue];
	const { events } = await story(['overdue', 'completed', 'stageChanged', 'notFound'], sights);
	const becomesOverdue = ['overdue', { deadline: change(null, PAST) }];
	expect(events).toEqual([null, [becomesOverdue], [['notFound', {}]], []]);
});

test('What later nodes do to an item changes no other item, no sample, and nothing that is stored', async () => {
	const trigger = await watch(['tagsChanged', 'nameChanged']);
	await see(trigger, { tags: ['a'], name: 'A' }, { activates: true });
	const sights = { tags: ['b'], name: 'B' };
	const [first, second] = (await see(trigger, sights)) ?? [];
	Object(first?.changes).tags.to.push('x');
	delete Object(first?.instance).name;
	expect(second?.instance).toMatchObject(sights);
	expect(first?.instance).toMatchObject({ tags: ['b'] });
	Object(first?.instance).tags.push('x');
	expect(await see(trigger, sights)).toBeNull();
	const samples = async () => {
		nock(BASE_URL).get('/instances/7/').reply(200, RUNNING);
		return (await trigger.poll('manual')) ?? [];
	};
	Object((await samples())[0]?.changes).tags.from.push('x');
	expect((await samples())[0]?.changes).toEqual({ tags: change(['another-tag'], null) });
});

const POISON = { toString: 1, valueOf: 1 };
/** Left out by a response: null if the field is nullable; otherwise, it says nothing. */
const ABSENT = undefined;
const change = (from: Value, to: Value) => ({ from, to });
const NO_TIMES = [
	...[false, 0, {}, [], true, 7, POISON],
	...['in June', '10:00', '2026', '2026-02-30T10:00'],
	...['0001-01-01T00:00:00Z', '1899-12-30', '1970-01-01 00:00:00'],
];
const HALF_LATER = '2026-06-01T10:00:00.400Z';
test.each<[string, field: string, values: Value[], changes: IDataObject[]]>([
	['priorityChanged', 'priority', [ABSENT, 'H', ABSENT], [change(null, 'H'), change('H', null)]],
	['priorityChanged', 'priority', [ABSENT, null, ABSENT], []],
	['deadlineChanged', 'deadline', [JUNE, ABSENT, JUNE], [change(JUNE, null), change(null, JUNE)]],
	['nameChanged', 'name', [ABSENT, 'A', ABSENT], [change(null, 'A'), change('A', null)]],
	['completed', 'completed_time', [ABSENT, JUNE, ABSENT, JUNE], [change(null, JUNE)]],
	['aborted', 'aborted_time', [ABSENT, JUNE, ABSENT, JUNE], [change(null, JUNE)]],
	['overdue', 'deadline', [ABSENT, JUNE, ABSENT, JUNE], [change(null, JUNE)]],
	['tagsChanged', 'tags', [['a'], ABSENT, ['b'], ABSENT, ['b']], [change(['a'], ['b'])]],
	['stageChanged', 'stage', [ABSENT, 'A', ABSENT, 'B'], [change('A', 'B')]],
	['tagsChanged', 'tags', ['a', 'a', 'b'], [change('a', 'b')]],
	// Numbers may be text, and null, empty text and an empty list are equal.
	['tagsChanged', 'tags', [['1'], [1], ['01']], [change(['1'], ['01'])]],
	['tagsChanged', 'tags', [null, [], '', [], null, ''], []],
	['deadlineChanged', 'deadline', [null, [], '', ABSENT, null], []],
	['activeStepsChanged', 'active_step_ids', [[1], ABSENT, [1]], []],
	['stepAssignmentsChanged', 'step_assignments', [[STEP], ABSENT, [STEP]], []],
	['completed', 'completed_time', [null, HALF_LATER, JUNE], [change(null, HALF_LATER)]],
	['completed', 'completed_time', [...NO_TIMES, JUNE], [change(null, JUNE)]],
	['overdue', 'deadline', [null, ...NO_TIMES, JUNE], [change(null, JUNE)]],
	['deadlineChanged', 'deadline', [JUNE, '2026-06-01T12:00:00.999+02:00'], []],
])('The event %s, while %s is %j, is emitted with %j', async (event, field, values, changes) => {
	const sights = values.map((value) => ({ [field]: value }));
	const { events } = await story([event], sights, { keepFinished: true });
	const expected = changes.map((each) => [event, { [field]: each }]);
	expect(events.flatMap((each) => each ?? [])).toEqual(expected);
});

test.each<[fields: IDataObject, emitFirst: boolean, events: Array<[string, IDataObject]>]>([
	[{ completed_time: DONE }, false, []],
	[{ deadline: PAST }, false, []],
	[{ completed_time: DONE }, true, [['completed', { completed_time: change(null, DONE) }]]],
	[{ aborted_time: DONE }, true, [['aborted', { aborted_time: change(null, DONE) }]]],
	[{ deadline: PAST }, true, [['overdue', { deadline: change(null, PAST) }]]],
	[{ name: 'A', stage: 'B', deadline: FUTURE }, true, []],
	[
		{ deadline: PAST, completed_time: '0001-01-01T00:00:00Z' },
		true,
		[['overdue', { deadline: change(null, PAST) }]],
	],
])('An instance with %j at the first check, Include Already Finished %p: %j', async (...row) => {
	const [fields, emitFirst, expected] = row;
	const names = EVENTS.map(({ name }) => name);
	const { events } = await story(names, [fields, fields], { emitFirst });
	expect(events).toEqual([expected.length > 0 ? expected : null, null]);
});

/** JSON that can be parsed, but neither compared nor written again. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const ODD_LISTS = ROWS.map(([, , field]) => [field, [POISON, { a: POISON, b: 1 }]]);
const ODD = { ...Object.fromEntries(ODD_LISTS), deadline: POISON, last_updated_time: POISON };
test.each<[what: string, odd: IDataObject, warnings: number]>([
	['are odd', ODD, 0],
	['are nested too deeply', { tags: 'DEEP' }, 2],
])('An instance with values that %s says nothing about the others', async (_, odd, warnings) => {
	const { parameters: watched } = parametersOf(EVENTS.map(({ name }) => name));
	const parameters = { ...watched, instanceIds: '7, 8' };
	const trigger = await createTrigger({ credentials, parameters });
	const seeBoth = async (stage: string) => {
		const text = JSON.stringify({ ...RUNNING, ...odd }).replace('"DEEP"', DEEP);
		nock(BASE_URL).get('/instances/7/').reply(200, text);
		return eventsIn(await see(trigger, { id: 8, stage }));
	};
	const warn = jest.spyOn(Container.get(Logger), 'warn');
	expect(await seeBoth('A')).toBeNull();
	expect(await seeBoth('B')).toEqual([['stageChanged', { stage: { from: 'A', to: 'B' } }]]);
	expect(warn).toHaveBeenCalledTimes(warnings);
});

test('Events of one poll are separate items, in the order and with the fields that the user chose', async () => {
	const chosen = { output: 'selected', outputFields: ['stage'] };
	const parameters = { instanceIds: '7', events: 'stageChanged, completed, Completed', ...chosen };
	const trigger = await createTrigger({ credentials, parameters });
	await see(trigger, { stage: 'A' }, { activates: true });
	const instance = { id: 7, stage: 'B' };
	expect(await see(trigger, { stage: 'B', completed_time: DONE })).toMatchObject([
		{ event: 'stageChanged', changes: { stage: { from: 'A', to: 'B' } }, instance },
		{ event: 'completed', changes: { completed_time: { from: null, to: DONE } }, instance },
	]);
});

const LOCAL = '2026-07-01 00:00:00';
const IN_2031 = '2031-01-01T00:00:00Z';
test.each<[fields: IDataObject, now: string, isOverdue: boolean]>([
	// By the service's clock, or by n8n's if the service doesn't send the time.
	[{ deadline: IN_2031 }, IN_2031, false],
	[{ deadline: IN_2031 }, '2031-01-01T00:00:01Z', true],
	[{ deadline: '2999-01-01T00:00:00Z' }, '', false],
	[{ deadline: PAST }, '', true],
	// Without an offset, it has certainly passed once it has in all time zones, and a date once its day has.
	[{ deadline: LOCAL }, '2026-07-01T12:00:00Z', false],
	[{ deadline: LOCAL }, '2026-07-01T12:00:01Z', true],
	[{ deadline: '2026-07-01' }, '2026-07-02T11:59:59Z', false],
	[{ deadline: '2026-07-01' }, '2026-07-02T12:00:00Z', true],
	// What counts as a time, and what doesn't.
	...[
		...['2026-06-01', '20260601', '20260601T100000Z', '2026-06-01T10Z', IN_JUNE, IN_JUNE * 1000],
		...['2026-06-01 10:00 UTC', '2026-06-01T10:00 +02:00', ' 2026-06-01T10:00 Z '],
	].map((deadline): [IDataObject, string, boolean] => [{ deadline }, TODAY, true]),
	[{ deadline: 'in June' }, TODAY, false],
	[{ deadline: PAST, completed_time: {} }, TODAY, false],
])('An instance with %j is overdue at %j: %p', async (fields, now, isOverdue) => {
	const trigger = await watch(['overdue']);
	await see(trigger, {}, { activates: true });
	const changes = { deadline: change(null, fields.deadline) };
	const emitted = eventsIn(await see(trigger, fields, { now }));
	expect(emitted).toEqual(isOverdue ? [['overdue', changes]] : null);
});

test.each<[happened: string, meanwhile: IDataObject]>([
	['was completed and reopened', { deadline: PAST, completed_time: DONE }],
	['had one that is not a date', { deadline: 'soon' }],
	['had a later one', { deadline: FUTURE }],
])(
	'An instance that %s is not overdue again by the same deadline',
	async (_happened, meanwhile) => {
		const overdue = { deadline: PAST };
		const sights = [{}, overdue, meanwhile, overdue];
		const { events } = await story(['overdue'], sights, { keepFinished: true });
		expect(events.flatMap((each) => each ?? [])).toHaveLength(1);
	},
);
