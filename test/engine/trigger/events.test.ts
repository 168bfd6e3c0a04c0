import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	detectEvents,
	type Entry,
	isNoLongerWatched,
} from '../../../nodes/WorkflowInstanceService/trigger/detectEvents';
import {
	EVENT_NAMES,
	type EventName,
	EVENTS,
	type Observation,
} from '../../../nodes/WorkflowInstanceService/trigger/events';
import type { Settings } from '../../../nodes/WorkflowInstanceService/trigger/settings';
import { createTrigger, mockService, type Trigger } from '../../harness';
import { CASES, settings } from '../support/hostile';

const service = mockService();
const RUNNING = {
	id: 7,
	process: `${service.baseUrl}/processes/11/`,
	completed_time: null,
	aborted_time: null,
	deadline: null,
	last_updated_time: '2026-01-01T08:00:00Z',
};
const TODAY = '2026-07-01T12:00:00Z';
const DONE = '2026-06-30T10:00:00Z';
const AT = (date: string) => ({ Date: new Date(date).toUTCString() });

const parametersOf = (events: string[], options: INodeParameters = {}) => ({
	parameters: { instanceIds: '7', events, options, output: 'raw' },
});
const watch = async (events: string[], options?: INodeParameters) =>
	await createTrigger(parametersOf(events, options));

/** Lets a poll see the instance with these fields; a number is a status without an instance. */
async function see(
	trigger: Trigger,
	fields: IDataObject | number,
	{ now = TODAY, activates = false } = {},
): Promise<IDataObject[] | null> {
	const reply = service.get('/instances/7/');
	if (typeof fields === 'number') reply.reply(fields, { detail: 'Not found.' });
	else reply.reply(200, { ...RUNNING, ...fields }, AT(now));
	return await (activates ? trigger.activate() : trigger.poll());
}

const told = (items: IDataObject[] | null) =>
	items?.map(({ event, changes }) => [event, changes]) ?? null;

/** What polls of an active trigger tell about an instance that is seen like this, one after the other. */
async function story(
	events: string[],
	sights: Array<IDataObject | number>,
	options: INodeParameters = {},
) {
	const trigger = await watch(events, options);
	const chapters: Array<Array<unknown> | null> = [];
	for (const [index, sight] of sights.entries()) {
		chapters.push(told(await see(trigger, sight, { activates: index === 0 })));
	}
	return chapters;
}

const DAY = (day: number) => `2026-07-${String(day).padStart(2, '0')}T00:00:00Z`;
const [STEP, STEP_2] = [1, 2].map((step_id) => ({ step_id, user_id: 2 }));

/**
 * All that the tests know of an event. What is stored never changes: its letter, under which triggers
 * remember, and the ID of one, by which workflows drop repeats. The first of the values is there at first.
 */
type Row = [
	stored: string,
	values: Array<IDataObject[string]>,
	...changes: Array<[was: unknown, theSame: unknown, becomes: unknown]>,
];
const ROWS: Record<EventName, Row> = {
	aborted: ['a 4c918ef8efdd6bc7', [null, null, DAY(4)], [null, '', '2026-06-01T10:00:00+02:00']],
	activeStepsChanged: ['p cb1a748ae5e437c1', [[1], [1, 2], [2, 1]], [[1, 2], [2, 1], [2]]],
	completed: [
		'c e0c154780067d25f',
		[null, DAY(2), 'in June'],
		[null, null, '2026-06-01T10:00:00Z'],
		['2026-06-01T10:00:00Z', '2026-06-01T12:00:00+02:00', 'in June'],
		['in June', 'in June', '2026-06-03T10:00:00.5+02:00'],
	],
	deadlineChanged: [
		'd 0e28a0bfd7a2ee4c',
		[null, DAY(5), DAY(10), DAY(20), 'someday'],
		['2026-08-01T10:00:00Z', '2026-08-01T12:00:00+02:00', null],
		[null, null, 'soon'],
	],
	nameChanged: ['n 4c59c2249b2e1d78', ['', 'A', 'B'], ['', null, 'New']],
	notFound: ['f eaa92a409f3658cf', []],
	overdue: ['o ea1346652acf310f', []],
	priorityChanged: ['r f1c8aab6c6961a45', [null, 'H', 'V'], [null, null, 'H']],
	stageChanged: ['s 04c0e9daf2407e05', ['A', 'B', 'C'], ['Review', 'Review', 'Done']],
	stepAssignmentsChanged: [
		'u 9a6b930bf9b87e5f',
		[[], [STEP], [STEP, STEP_2]],
		[[STEP, STEP_2], [STEP_2, { user_id: 2, step_id: 1 }], [STEP]],
	],
	tagsChanged: [
		't eaf3ca9648445a40',
		[[], ['a'], ['a', 'b'], ['b', 'a']],
		[['a', 'b'], ['b', 'a'], ['a']],
		[null, null, ['a']],
	],
};
const [first = 'completed', ...others] = EVENT_NAMES;
const WATCHED: Settings['events'] = [first, ...others];
const FIELD_OF: Record<EventName, string> = {
	aborted: 'aborted_time',
	activeStepsChanged: 'active_step_ids',
	completed: 'completed_time',
	deadlineChanged: 'deadline',
	nameChanged: 'name',
	notFound: '',
	overdue: '',
	priorityChanged: 'priority',
	stageChanged: 'stage',
	stepAssignmentsChanged: 'step_assignments',
	tagsChanged: 'tags',
};
const fieldOf = (event: EventName) => FIELD_OF[event];

describe('each event', () => {
	const CHANGES = WATCHED.flatMap((event) => {
		const [, , ...changes] = ROWS[event];
		return changes.map((change) => [event, fieldOf(event), ...change] as const);
	});

	test('has a row here: what is stored of it, and what it tells of its field', () => {
		const stored = WATCHED.map((event) => [event, `${EVENTS[event].letter} ${idOf(event)}`]);
		expect(stored).toEqual(WATCHED.map((event) => [event, ROWS[event][0]]));
		const told = new Set(CHANGES.map(([event]) => event));
		expect([...told]).toEqual(WATCHED.filter((event) => fieldOf(event) !== ''));
	});

	test('has a letter of its own, which is not reserved', () => {
		const letters = Object.values(EVENTS).map(({ letter }) => letter);
		const all = [...letters, 'b', 'x'];
		expect(all.filter((letter, index) => all.indexOf(letter) !== index)).toEqual([]);
		expect(letters.filter((letter) => !/^[a-z]$/.test(letter))).toEqual([]);
	});

	test.each(CHANGES)('%s tells what %s was and is, once', async (event, field, from, same, to) => {
		const change = [[event, { [field]: { from, to } }]];
		const sights = [from, same, to, to].map((value) => ({ ...Object({ [field]: value }) }));
		const chapters = await story([event], sights, { keepFinished: true });
		expect(chapters).toEqual([null, null, change, null]);
	});

	test('has one item each, with the instance as it was chosen', async () => {
		const chosen = { output: 'selected', outputFields: ['stage'] };
		const parameters = { instanceIds: '7', events: 'stageChanged, completed', ...chosen };
		const trigger = await createTrigger({ parameters });
		await see(trigger, { stage: 'A' }, { activates: true });
		const item = (event: string, field: string, from: unknown, to: unknown) => ({
			event,
			eventId: expect.stringMatching(`^7-${event}-[0-9a-f]{16}$`),
			changes: { [field]: { from, to } },
			instance: { id: 7, stage: 'B' },
		});
		expect(await see(trigger, { stage: 'B', completed_time: DONE })).toEqual([
			item('stageChanged', 'stage', 'A', 'B'),
			item('completed', 'completed_time', null, DONE),
		]);
	});
});

describe('overdue', () => {
	const overdue = (to: string) => [['overdue', { deadline: { from: null, to } }]];

	test('goes by the clock of the service', async () => {
		const trigger = await watch(['overdue']);
		const deadline = { deadline: '2031-01-01T00:00:00Z' };
		const at = async (now: string) => told(await see(trigger, deadline, { now }));
		await see(trigger, deadline, { activates: true });
		expect(await at(deadline.deadline)).toBeNull();
		expect(await at('2031-01-01T00:00:01Z')).toEqual(overdue(deadline.deadline));
	});

	test('of a deadline that comes back is told again, under an ID of its own', async () => {
		const toldOf = async (trigger: Trigger, deadline: string) =>
			(await see(trigger, { deadline }))?.[0]?.eventId;
		const [past, future] = ['2026-06-01', '2026-08-01'];
		const [one, other] = [await watch(['overdue']), await watch(['overdue'])];
		await see(one, { deadline: future }, { activates: true });
		const id = await toldOf(one, past);
		// What is no longer overdue is saved at once, unless the deadline stays.
		expect(await see(one, { deadline: future })).toEqual([]);
		expect(await see(one, { deadline: null })).toBeNull();
		expect(await toldOf(one, past)).not.toBe(id);
		expect(await see(one, { deadline: past, completed_time: DONE })).toBeNull();
		// To another trigger it comes for the first time.
		await see(other, { deadline: '2026-06-02' }, { activates: true });
		expect(await toldOf(other, past)).toBe(id);
	});

	test('goes by the clock of n8n when the service does not tell its own', async () => {
		const trigger = await watch(['overdue']);
		const seeDeadline = async (deadline: string) => {
			service.get('/instances/7/').reply(200, { ...RUNNING, deadline });
			return told(await trigger.poll());
		};
		expect(await seeDeadline('2999-01-01T00:00:00Z')).toBeNull();
		const past = '2020-01-01T00:00:00Z';
		expect(await seeDeadline(past)).toEqual(overdue(past));
	});
});

describe('an instance that is finished', () => {
	const done = { completed_time: DONE };

	test('is not asked for any more', async () => {
		const trigger = await watch(['completed']);
		await see(trigger, {}, { activates: true });
		await see(trigger, done);
		expect(trigger.saved().ids).toEqual({ 7: { x: 1 } });
		expect(await trigger.poll()).toBeNull();
	});

	test('is told again after it was reopened, once it is completed at another time', async () => {
		const sights = [null, DAY(2), null, DAY(2), DAY(3)].map((completed_time) => ({
			completed_time,
		}));
		const told = (from: string | null, to: string) => [
			['completed', { completed_time: { from, to } }],
		];
		const chapters = await story(['completed'], sights, { keepFinished: true });
		expect(chapters).toEqual([null, told(null, DAY(2)), null, null, told(DAY(2), DAY(3))]);
	});

	test('is seen for the first time again when the user begins to watch finished ones', async () => {
		const trigger = await watch(['completed']);
		await see(trigger, done, { activates: true });
		await trigger.restart(parametersOf(['completed'], { keepFinished: true }));
		expect(await see(trigger, done)).toEqual([]);
		expect(await see(trigger, { completed_time: TODAY })).toHaveLength(1);
	});
});

describe('an instance that is not found any more', () => {
	test('is told once, and again after it was there meanwhile', async () => {
		const gone = [['notFound', {}]];
		const sights = [{}, 404, 404, {}, 410];
		// What is seen anew is saved by an emission without items.
		expect(await story(['notFound'], sights)).toEqual([null, gone, null, [], gone]);
	});

	test('comes with its ID alone, and leaves what else is remembered', async () => {
		const trigger = await watch(['notFound', 'stageChanged']);
		await see(trigger, { stage: 'A' }, { activates: true });
		expect(await see(trigger, 404)).toMatchObject([{ event: 'notFound', instance: { id: 7 } }]);
		expect(told(await see(trigger, { stage: 'B' }))).toEqual([
			['stageChanged', { stage: { from: 'A', to: 'B' } }],
		]);
	});
});

describe('the first sight', () => {
	test('is told of an instance that is overdue, if the user wants it', async () => {
		const deadline = '2026-06-01T00:00:00Z';
		const told = [[['overdue', { deadline: { from: null, to: deadline } }]]];
		expect(await story(['completed', 'overdue'], [{ deadline }], { emitFirst: true })).toEqual(
			told,
		);
	});

	test('of an event that is chosen later is remembered, not told', async () => {
		const trigger = await watch(['stageChanged']);
		await see(trigger, { stage: 'A', tags: [] }, { activates: true });
		await trigger.restart(parametersOf(['stageChanged', 'tagsChanged']));
		expect(await see(trigger, { stage: 'A', tags: ['x'] })).toEqual([]);
		expect(await see(trigger, { stage: 'B', tags: ['x', 'y'] })).toHaveLength(2);
	});

	test('keeps when an instance had last been updated before its changes were watched for', async () => {
		const trigger = await watch(['overdue']);
		const remembered = () => Object(trigger.saved().ids)[7];
		await see(trigger, { stage: 'A' }, { activates: true });
		expect(remembered()).toEqual({ o: 0 });

		await trigger.restart(parametersOf(['overdue', 'stageChanged']));
		await see(trigger, { stage: 'A', last_updated_time: TODAY });
		const first = { o: 0, s: 'A', b: new Date(TODAY).getTime() / 1000 };
		expect(remembered()).toEqual(first);
		await trigger.restart(parametersOf(['overdue', 'stageChanged', 'nameChanged']));
		await see(trigger, { stage: 'A', name: '', last_updated_time: '2026-07-02T12:00:00Z' });
		expect(remembered()).toEqual({ ...first, n: '' });
		await see(trigger, { stage: 'B', name: '', last_updated_time: '2026-07-02T13:00:00Z' });
		expect(remembered()).toEqual({ ...first, n: '', s: 'B', 's#': 1 });
	});

	test('does not need to know it', async () => {
		const trigger = await watch(['stageChanged']);
		await see(trigger, { stage: 'A', last_updated_time: null }, { activates: true });
		expect(trigger.saved().ids).toEqual({ 7: { s: 'A' } });
	});
});

const IDS = [7, 8, 9];
const VALUES: Record<string, Array<IDataObject[string]>> = Object.fromEntries(
	WATCHED.filter(fieldOf).map((event) => [fieldOf(event), ROWS[event][1]]),
);

/** An instance with all the values at a place. */
const instanceAt = (place: number): IDataObject =>
	Object.fromEntries(Object.entries(VALUES).map(([field, values]) => [field, values[place]]));

/** What became of a poll: it ended well, or n8n ended before it gave anything, or before it saved. */
type End = 'well' | 'unheard' | 'unsaved';
interface Poll {
	unread: number[];
	gone: number[];
	unsaid: string[];
	day: number;
	end: End;
}
type Step = { id: number; field: string; choice: number } | Poll | 'restart';

const FIELDS = Object.keys(VALUES);
const someOf = <T>(all: T[]) =>
	fc.oneof({ weight: 3, arbitrary: fc.constant<T[]>([]) }, fc.subarray(all));
const [anId, aField] = [fc.constantFrom(...IDS), fc.constantFrom(...FIELDS)];
const change = fc.record({ id: anId, field: aField, choice: fc.nat(4) });
const poll = fc.record<Poll>({
	unread: someOf(IDS),
	gone: someOf(IDS),
	unsaid: someOf(FIELDS),
	day: fc.integer({ min: 1, max: 25 }),
	end: fc.constantFrom('well', 'well', 'well', 'unheard', 'unsaved'),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{ weight: 6, arbitrary: change },
		{ weight: 4, arbitrary: poll },
		fc.constant('restart' as const),
	),
	{ maxLength: 60 },
);

interface Expected {
	event: EventName;
	/** Tells it from every other event of the instance. */
	what: string;
	changes: IDataObject;
}

const spelled = (value: IDataObject[string]) =>
	JSON.stringify(Array.isArray(value) ? value.map((each) => JSON.stringify(each)).sort() : value);

function valueOf(event: EventName, { instance, at }: Observation): IDataObject[string] {
	if (event === 'notFound') return instance === undefined ? 'gone' : 'there';
	if (event !== 'overdue') return instance?.[fieldOf(event)];
	if (instance?.deadline === undefined) return undefined;
	const isFinished = Boolean(instance.completed_time ?? instance.aborted_time);
	const isPast = instance.deadline !== null && Date.parse(String(instance.deadline)) < at;
	return isPast && !isFinished ? instance.deadline : null;
}

/** Whether the deadline is the one that was overdue, or is not said. */
function isDeadline(overdue: IDataObject[string], { instance = {} }: Observation): boolean {
	return instance.deadline === undefined || instance.deadline === overdue;
}

/** What the trigger remembers; and all values and how often each event was told, for the model. */
interface Kept {
	entries: Map<number, Entry>;
	known: Map<string, IDataObject[string]>;
	times: Map<string, number>;
}

/** What somebody would tell who has the room to keep all values. */
function expectedOf(
	{ entries, known, times }: Kept,
	id: number,
	observation: Observation,
	emitFirst: boolean,
): Expected[] {
	return WATCHED.flatMap((event) => {
		const key = `${id} ${event}`;
		const before = known.get(key);
		const isOne = EVENTS[event].isNow !== undefined;
		const field = event === 'overdue' ? 'deadline' : fieldOf(event);
		const isFirst = before === undefined && observation.instance !== undefined;
		// Then it counts as said that there is no moment.
		const leftOut = isFirst && (isOne || event === 'deadlineChanged') ? null : undefined;
		const said = valueOf(event, observation);
		const now = said === undefined ? leftOut : said;
		if (now === undefined || spelled(now) === spelled(before)) return [];
		// A moment that is taken back may come again; until then the last one counts, but for another deadline.
		const isMoved = event === 'overdue' && !isDeadline(before, observation);
		if (isOne && now === null && before !== undefined && !isMoved) return [];
		known.set(key, now);
		if (now === (event === 'notFound' ? 'there' : isOne ? null : undefined)) return [];
		if (before === undefined && !(isOne && emitFirst && !entries.has(id))) return [];
		const counted = event === 'overdue' ? `${key} ${spelled(now)}` : key;
		const count = times.get(counted) ?? 0;
		times.set(counted, count + 1);
		const changes = field === '' ? {} : { [field]: { from: before ?? null, to: now } };
		const isCounted = !isOne || event === 'overdue';
		const value = isOne ? spelled(now) : `${spelled(before)} ${spelled(now)}`;
		const what = isCounted ? `${count} ${value}` : value;
		return [{ event, what: `${key} ${what}`, changes }];
	});
}

/** Plays a history, and checks each poll against the model. Gives all that was told, by its eventId. */
function play(
	history: Step[],
	given: { keepFinished: boolean; emitFirst: boolean },
): Map<string, string> {
	const service = new Map<number, IDataObject>(IDS.map((id) => [id, { id, ...instanceAt(0) }]));
	const toldBy = new Map<string, string>();
	let state: Kept = { entries: new Map(), known: new Map(), times: new Map() };
	let saved = structuredClone(state);
	let updates = 0;

	const pollOf = ({ unread, gone, unsaid, day, end }: Poll) => {
		const next = structuredClone(state);
		const told: Array<[id: string, what: string]> = [];
		let isSaved = false;
		for (const id of IDS.filter((each) => !unread.includes(each))) {
			const entry = next.entries.get(id);
			if (isNoLongerWatched(entry) || (gone.includes(id) && entry === undefined)) continue;
			const fields = Object.entries(service.get(id) ?? {}).filter(([key]) => !unsaid.includes(key));
			const observation = {
				instance: gone.includes(id) ? undefined : Object.fromEntries(fields),
				at: Date.parse(DAY(day)) + 1,
			};
			const detection = detectEvents(id, entry, observation, { events: WATCHED, ...given });
			const expected = expectedOf(next, id, observation, given.emitFirst);
			expect(detection.triggerEvents).toEqual(
				expected.map(({ event, changes }) => ({ event, changes, eventId: expect.any(String) })),
			);
			expected.forEach(({ what }, index) =>
				told.push([detection.triggerEvents[index]?.eventId ?? '', what]),
			);
			isSaved ||= detection.isFirstSight || detection.triggerEvents.length > 0;
			next.entries.set(id, detection.entry);
		}
		for (const [eventId, what] of end === 'unheard' ? [] : told) {
			// The same ID means the same event, and the other way round.
			expect(toldBy.get(eventId) ?? what).toBe(what);
			toldBy.set(eventId, what);
		}
		state = end === 'well' ? next : structuredClone(saved);
		if (end === 'well' && isSaved) saved = structuredClone(next);
	};

	for (const step of history) {
		if (step === 'restart') state = structuredClone(saved);
		else if ('day' in step) pollOf(step);
		else {
			const { id, field, choice } = step;
			const values = VALUES[field] ?? [];
			const last_updated_time = new Date(Date.UTC(2026, 0, 1) + updates++ * 1000).toISOString();
			const changed = { ...service.get(id), [field]: values[choice % values.length] };
			service.set(id, { ...changed, last_updated_time });
		}
	}
	return toldBy;
}

/** The ID of an event, without the name before it. */
function idOf(event: EventName): string | undefined {
	const settingsOf = { events: [event], emitFirst: false, keepFinished: true } as const;
	const before = { ...instanceAt(0), last_updated_time: DAY(1) };
	const due = { deadline: DAY(5) };
	const after = { aborted: instanceAt(2), overdue: due, notFound: undefined };
	const instance = Object.hasOwn(after, event) ? Object(after)[event] : instanceAt(1);
	const { entry } = detectEvents(7, undefined, { instance: before, at: 0 }, settingsOf);
	const last = { instance, at: Date.UTC(2027, 5) };
	const [{ eventId = '' } = {}] = detectEvents(7, entry, last, settingsOf).triggerEvents;
	return eventId.replace(`7-${event}-`, '');
}

test.each([
	{ keepFinished: true, emitFirst: false },
	{ keepFinished: false, emitFirst: false },
	{ keepFinished: true, emitFirst: true },
])('over any history a poll tells what a simple model tells with %j', (given) => {
	const property = fc.property(steps, (history) => {
		const whats = [...play(history, given).values()];
		expect(new Set(whats).size).toBe(whats.length);
	});
	fc.assert(property, settings(CASES));
});
