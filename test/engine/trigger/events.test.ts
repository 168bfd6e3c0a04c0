import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	detectEvents,
	type Entry,
	isNoLongerWatched,
} from '../../../nodes/WorkflowInstanceService/trigger/instanceState';
import {
	EVENT_NAMES,
	type EventName,
	type Observation,
} from '../../../nodes/WorkflowInstanceService/trigger/events';
import type { Settings } from '../../../nodes/WorkflowInstanceService/trigger/settings';
import { createTrigger, type Trigger } from '../../harness';
import { CASES, settings } from '../support/hostile';
import { respond, useSandbox } from '../support/sandbox';

type Value = IDataObject[string];

const sandbox = useSandbox();
const RUNNING = {
	id: 7,
	process: 'https://service.example/api/processes/11/',
	completed_time: null,
	aborted_time: null,
	deadline: null,
	last_updated_time: '2026-01-01T08:00:00Z',
};
const DAY = (day: number) => `2026-07-${String(day).padStart(2, '0')}T00:00:00Z`;
const [TODAY, DONE] = [DAY(1), '2026-06-30T10:00:00Z'];
const [PAST, FUTURE] = ['2026-06-01T00:00:00Z', '2026-08-01T00:00:00Z'];

const parametersOf = (events: string[], options: INodeParameters = {}) => ({
	parameters: { instanceIds: '7', events, options, output: 'raw' },
});
const watch = async (events: string[], options?: INodeParameters) =>
	await createTrigger({ credentials: sandbox.credentials, ...parametersOf(events, options) });

/** Lets a poll see the instance with these fields; a number is a status without an instance. */
async function see(
	trigger: Trigger,
	fields: IDataObject | number,
	{ now = TODAY, activates = false } = {},
): Promise<IDataObject[] | null> {
	const action =
		typeof fields === 'number'
			? respond(fields, { detail: 'Not found.' })
			: respond(200, { ...RUNNING, ...fields }, { date: now && new Date(now).toUTCString() });
	sandbox.control.addFault({ action });
	return await (activates ? trigger.activate() : trigger.poll());
}

const told = (items: IDataObject[] | null) =>
	items?.map(({ event, changes }) => [event, changes]) ?? null;

/** What polls emit of an instance that is seen like this, one after the other, and what is stored then. */
async function story(
	events: string[],
	sights: Array<IDataObject | number>,
	options: INodeParameters = {},
) {
	const trigger = await watch(events, options);
	const emitted: Array<IDataObject[] | null> = [];
	for (const [index, sight] of sights.entries()) {
		emitted.push(await see(trigger, sight, { activates: index === 0 }));
	}
	return { emitted, told: emitted.map(told), saved: trigger.saved() };
}

const [STEP, STEP_2] = [1, 2].map((step_id) => ({ step_id, user_id: 2 }));
const ASSIGNMENTS: [Value, Value, Value] = [
	[STEP, STEP_2],
	[STEP_2, { user_id: 2, step_id: 1 }],
	[STEP],
];
const JUNE = '2026-06-01T10:00:00Z';
const JUNE_HERE = '2026-06-01T12:00:00+02:00';
const LATER = '2026-06-03T10:00:00.5+02:00';

/** The last update of the instance, in seconds. */
const b = 1_767_254_400;

/** Published triggers rely on what is stored, and workflows on the IDs of events: they never change. */
const ROWS: Array<
	[
		letter: string,
		EventName,
		field: string,
		[was: Value, same: Value, becomes: Value],
		hash: string,
	]
> = [
	['p', 'activeStepsChanged', 'active_step_ids', [[1, 2], [2, 1], [2]], '86bfce3097466559'],
	['d', 'deadlineChanged', 'deadline', [JUNE, JUNE_HERE, null], 'ce04c6fc059544ac'],
	['d', 'deadlineChanged', 'deadline', [null, null, 'soon'], 'd1d70f9409113ef3'],
	['n', 'nameChanged', 'name', ['', null, 'New'], '64ebd496d310b4b8'],
	['r', 'priorityChanged', 'priority', [null, null, 'H'], 'aafa3e76247cce1d'],
	['s', 'stageChanged', 'stage', ['Review', 'Review', 'Done'], '109fbaec7e05b759'],
	['u', 'stepAssignmentsChanged', 'step_assignments', ASSIGNMENTS, 'e09b8786c061ef2a'],
	['t', 'tagsChanged', 'tags', [['a', 'b'], ['b', 'a'], ['a']], 'e4a07785e4e672da'],
	['t', 'tagsChanged', 'tags', [null, null, ['a']], 'ff5a555bdff670d1'],
	['a', 'aborted', 'aborted_time', [null, '', JUNE_HERE], '4729f43fc64835ad'],
	['c', 'completed', 'completed_time', [null, null, JUNE], '12c0df62f1966fb5'],
	['c', 'completed', 'completed_time', [JUNE, JUNE_HERE, 'in June'], 'ab4c0640443b98fb'],
	['c', 'completed', 'completed_time', ['in June', 'in June', LATER], '2351940fe85d9793'],
];
/** What is stored of the last one of each time, in seconds if it is one. */
const STORED = new Map<Value, Value>([
	[JUNE, 1_780_308_000],
	[JUNE_HERE, 1_780_308_000],
	[LATER, 1_780_473_600.5],
]);

test('Every event is in a row, but for two that are more than a field', () => {
	const inRows = ROWS.map(([, event]) => event);
	const others = EVENT_NAMES.filter((event) => !inRows.includes(event));
	expect(others).toEqual(['notFound', 'overdue']);
});

test.each(ROWS)(
	'The letter %s stores %s, which is emitted once for %s with these values one after another: %j',
	async (letter, event, field, values, hash) => {
		const [was, , becomes] = values;
		const sights = [...values, becomes].map((value) => ({ [field]: value }));
		const { emitted, saved } = await story([event], sights, { keepFinished: true });
		const changes = { [field]: { from: was, to: becomes } };
		const instance = { ...RUNNING, [field]: becomes };
		const item = { event, eventId: `7-${event}-${hash}`, changes, instance };
		expect(emitted).toEqual([null, null, [item], null]);
		const stored = event.endsWith('Changed')
			? { b, [letter]: becomes, [`${letter}#`]: 1 }
			: { [letter]: STORED.get(becomes) ?? becomes };
		const service = expect.stringMatching(/^[\da-f]{16}$/);
		expect(saved).toEqual({ v: 1, for: service, ids: { 7: stored }, queue: [] });
	},
);

test('Events of one poll are separate items, in the order and with the fields that the user chose', async () => {
	const chosen = { output: 'selected', outputFields: ['stage'] };
	const parameters = { instanceIds: '7', events: 'stageChanged, completed', ...chosen };
	const trigger = await createTrigger({ parameters, credentials: sandbox.credentials });
	await see(trigger, { stage: 'A' }, { activates: true });
	const instance = { id: 7, stage: 'B' };
	expect(await see(trigger, { stage: 'B', completed_time: DONE })).toMatchObject([
		{ event: 'stageChanged', changes: { stage: { from: 'A', to: 'B' } }, instance },
		{ event: 'completed', changes: { completed_time: { from: null, to: DONE } }, instance },
	]);
});

const overdue = (to: string) => [['overdue', { deadline: { from: null, to } }]];

test('Overdue goes by the clock of the service, or by that of n8n if the service sends no time', async () => {
	const trigger = await watch(['overdue']);
	const seen = async (deadline: string, now: string) =>
		told(await see(trigger, { deadline }, { now }));
	const deadline = '2031-01-01T00:00:00Z';
	expect(await seen(deadline, deadline)).toBeNull();
	expect(await seen(deadline, '2031-01-01T00:00:01Z')).toEqual(overdue(deadline));
	expect(await seen('2999-01-01T00:00:00Z', '')).toEqual([]);
	expect(await seen(PAST, '')).toEqual(overdue(PAST));
});

test('A deadline that was overdue before is emitted again under an ID of its own', async () => {
	const sights = [FUTURE, FUTURE, PAST, FUTURE, null, PAST].map((deadline) => ({ deadline }));
	const { emitted, saved } = await story(['overdue'], sights);
	// What is no longer overdue is saved at once.
	expect(emitted.map((items) => items?.map(({ eventId }) => eventId) ?? null)).toEqual([
		...[null, null, ['7-overdue-32666d3e25bdc203'], [], null],
		['7-overdue-841505990cb8c740'],
	]);
	expect(saved.ids).toEqual({ 7: { o: 1_780_272_000, 'o#': [1_780_272_000] } });
});

test('An instance that was finished is not checked again', async () => {
	const trigger = await watch(['completed']);
	await see(trigger, {}, { activates: true });
	await see(trigger, { completed_time: DONE });
	expect(trigger.saved().ids).toEqual({ 7: { x: 1 } });
	expect(await trigger.poll()).toBeNull();
	expect(sandbox.requests()).toHaveLength(2);
});

test('A finished instance counts as new when the user adds Keep Watching Finished Instances', async () => {
	const trigger = await watch(['completed']);
	await see(trigger, { completed_time: DONE }, { activates: true });
	await trigger.restart(parametersOf(['completed'], { keepFinished: true }));
	expect(await see(trigger, { completed_time: DONE })).toEqual([]);
	expect(await see(trigger, { completed_time: TODAY })).toHaveLength(1);
});

test('Not Found is emitted once with the ID alone, and again after the instance was there meanwhile', async () => {
	const gone = (hash: string) => [
		{ event: 'notFound', eventId: `7-notFound-${hash}`, changes: {}, instance: { id: 7 } },
	];
	const { emitted, saved } = await story(['notFound'], [{}, 404, 404, {}, 410]);
	expect(emitted).toEqual([null, gone('8d6a6b02697f7c80'), null, [], gone('7271d3c4c9a84971')]);
	expect(saved.ids).toEqual({ 7: { b, f: 0, 'f#': 2 } });
});

test('Emit Initial State emits that a new instance is already overdue', async () => {
	const { told } = await story(['completed', 'overdue'], [{ deadline: PAST }], { emitFirst: true });
	expect(told).toEqual([overdue(PAST)]);
});

test('An event that is chosen later first records how things are, even with Emit Initial State', async () => {
	const trigger = await watch(['stageChanged']);
	await see(trigger, { stage: 'A', deadline: PAST }, { activates: true });
	await trigger.restart(
		parametersOf(['stageChanged', 'overdue', 'tagsChanged'], { emitFirst: true }),
	);
	expect(await see(trigger, { stage: 'A', tags: ['x'], deadline: PAST })).toEqual([]);
	expect(await see(trigger, { stage: 'B', tags: ['x', 'y'], deadline: PAST })).toHaveLength(2);
});

test('The time of the last update before changes were watched for is stored once, if it is known', async () => {
	const trigger = await watch(['overdue']);
	const storedAfter = async (fields: IDataObject, events?: string[]) => {
		if (events) await trigger.restart(parametersOf(events));
		await see(trigger, fields, { activates: true });
		return trigger.saved().ids;
	};
	const [stage, last_updated_time] = ['A', TODAY];
	const unknown = { stage, last_updated_time: null };
	expect(await storedAfter({ stage })).toEqual({ 7: { o: 0 } });
	const base = Date.parse(TODAY) / 1000;
	const events = ['overdue', 'stageChanged'];
	expect(await storedAfter({ stage, last_updated_time }, events)).toEqual({
		7: { o: 0, s: 'A', b: base },
	});
	const later = { stage, name: '', last_updated_time: DAY(2) };
	const more = await storedAfter(later, [...events, 'nameChanged']);
	expect(more).toEqual({ 7: { o: 0, s: 'A', n: '', b: base } });
	expect(await storedAfter(unknown, ['tagsChanged'])).toEqual({ 7: {} });
});

const [firstEvent = 'completed', ...otherEvents] = EVENT_NAMES;
const WATCHED: Settings['events'] = [firstEvent, ...otherEvents];
const STATES: EventName[] = ['aborted', 'completed', 'overdue'];
/** The field of each event with one of its own, and its values: the first is there at first. */
const VALUES: Partial<Record<EventName, [field: string, values: Value[]]>> = {
	aborted: ['aborted_time', [null, null, DAY(4)]],
	activeStepsChanged: ['active_step_ids', [[1], [1, 2], [2, 1]]],
	completed: ['completed_time', [null, DAY(2), 'in June']],
	deadlineChanged: ['deadline', [null, DAY(5), DAY(10), DAY(20), 'someday']],
	nameChanged: ['name', ['', 'A', 'B']],
	priorityChanged: ['priority', [null, 'H', 'V']],
	stageChanged: ['stage', ['A', 'B', 'C']],
	stepAssignmentsChanged: ['step_assignments', [[], [STEP], [STEP, STEP_2]]],
	tagsChanged: ['tags', [[], ['a'], ['a', 'b'], ['b', 'a']]],
};
const FIELDS = Object.values(VALUES);

/** A poll after some values changed. n8n may end before it emits anything, or before it saves. */
const polls = fc.array(
	fc.record({
		changes: fc.array(fc.record({ field: fc.constantFrom(...FIELDS), choice: fc.nat(4) }), {
			maxLength: 4,
		}),
		isGone: fc.constantFrom(false, false, false, true),
		unsaid: fc.oneof(
			{ weight: 3, arbitrary: fc.constant<string[]>([]) },
			fc.subarray(FIELDS.map(([field]) => field)),
		),
		day: fc.integer({ min: 1, max: 25 }),
		end: fc.constantFrom('well', 'well', 'well', 'unheard', 'unsaved'),
	}),
	{ maxLength: 25 },
);

/** What the trigger stores, and for the model all values and how often each event was emitted. */
interface Kept {
	entry: Entry | undefined;
	values: Map<EventName, Value>;
	times: Map<string, number>;
}

const spelled = (value: Value) =>
	JSON.stringify(Array.isArray(value) ? value.map((each) => JSON.stringify(each)).sort() : value);

function valueOf(event: EventName, { instance, at }: Observation): Value {
	if (event === 'notFound') return instance === undefined ? 'gone' : 'there';
	if (event !== 'overdue') return instance?.[VALUES[event]?.[0] ?? ''];
	if (instance?.deadline === undefined) return undefined;
	const isFinished = Boolean(instance.completed_time ?? instance.aborted_time);
	const isPast = instance.deadline !== null && Date.parse(String(instance.deadline)) < at;
	return isPast && !isFinished ? instance.deadline : null;
}

/** What somebody would tell who has the room to keep all values: each event, and what sets it apart. */
function expectedOf({ entry, values, times }: Kept, observation: Observation, emitFirst: boolean) {
	const { instance } = observation;
	return WATCHED.flatMap((event) => {
		const before = values.get(event);
		const isState = STATES.includes(event);
		// A time that the first response leaves out is not set.
		const isTime = isState || event === 'deadlineChanged';
		const leftOut = isTime && before === undefined && instance !== undefined ? null : undefined;
		const said = valueOf(event, observation);
		const now = said === undefined ? leftOut : said;
		if (now === undefined || spelled(now) === spelled(before)) return [];
		// A time that is taken back may come again; until then the last one counts, but for another deadline.
		const deadline = instance?.deadline ?? before;
		const isMoved = event === 'overdue' && (deadline !== before || instance?.deadline === null);
		if (isState && now === null && before !== undefined && !isMoved) return [];
		values.set(event, now);
		const silent = event === 'notFound' ? 'there' : isState ? null : undefined;
		const isNew = before === undefined && !(isState && emitFirst && entry === undefined);
		if (now === silent || isNew) return [];
		const key = event === 'overdue' ? `overdue ${spelled(now)}` : event;
		const count = times.get(key) ?? 0;
		times.set(key, count + 1);
		const what = isState
			? `${event} ${spelled(now)}`
			: `${event} ${spelled(before)} ${spelled(now)}`;
		const isCounted = !isState || event === 'overdue';
		const field = event === 'overdue' ? 'deadline' : VALUES[event]?.[0];
		const changes = field === undefined ? {} : { [field]: { from: before ?? null, to: now } };
		return [{ event, changes, what: isCounted ? `${what} ${count}` : what }];
	});
}

test.each([
	{ keepFinished: true, emitFirst: false },
	{ keepFinished: false, emitFirst: false },
	{ keepFinished: true, emitFirst: true },
])(
	'In any history, each event is emitted, and under one ID that no other has, as a simple model says with %j',
	(given) => {
		const property = fc.property(polls, (history) => {
			let instance: IDataObject = { id: 7 };
			for (const [field, [first]] of FIELDS) instance[field] = first;
			const emitted = new Map<string, string>();
			let state: Kept = { entry: undefined, values: new Map(), times: new Map() };
			let saved = structuredClone(state);
			for (const [index, { changes, isGone, unsaid, day, end }] of history.entries()) {
				const last_updated_time = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
				const changed = changes.map(({ field: [name, values], choice }) => [
					name,
					values[choice % values.length],
				]);
				if (changed.length > 0) instance = { ...instance, last_updated_time };
				instance = { ...instance, ...Object.fromEntries(changed) };
				const { entry } = state;
				if (isNoLongerWatched(entry) || (isGone && entry === undefined)) continue;
				const said = Object.entries(instance).filter(([key]) => !unsaid.includes(key));
				const seen = isGone ? undefined : Object.fromEntries(said);
				const observation = { id: 7, instance: seen, at: Date.parse(DAY(day)) + 1 };
				const detected = detectEvents(entry, observation, { events: WATCHED, ...given });
				const next = structuredClone(state);
				const expected = expectedOf(next, observation, given.emitFirst);
				const { triggerEvents } = detected;
				expect(triggerEvents.map(({ event, changes }) => ({ event, changes }))).toEqual(
					expected.map(({ event, changes }) => ({ event, changes })),
				);
				for (const [place, { eventId }] of end === 'unheard' ? [] : triggerEvents.entries()) {
					const what = expected[place]?.what ?? '';
					expect(emitted.get(eventId) ?? what).toBe(what);
					emitted.set(eventId, what);
				}
				state = end === 'well' ? { ...next, entry: detected.entry } : structuredClone(saved);
				const isSaved = detected.isFirstSight || triggerEvents.length > 0;
				if (end === 'well' && isSaved) saved = structuredClone(state);
			}
			expect(new Set(emitted.values()).size).toBe(emitted.size);
		});
		fc.assert(property, settings(CASES));
	},
);
