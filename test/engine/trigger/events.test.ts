import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	type ChosenEvents,
	detectEvents,
	type InstanceState,
	isNoLongerWatched,
	RESERVED_LETTERS,
} from '../../../nodes/WorkflowInstanceService/trigger/detectEvents';
import {
	type EventName,
	EVENTS,
	isEventName,
	type Observation,
	type WatchedEvent,
} from '../../../nodes/WorkflowInstanceService/trigger/events';
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
const AT = (date: string) => ({ Date: new Date(date).toUTCString() });

const watch = async (events: string[], options: INodeParameters = {}) =>
	await createTrigger({ parameters: { instanceIds: '7', events, options, output: 'raw' } });

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

describe('each event', () => {
	const steps = (...ids: number[]) =>
		ids.map((id, index) =>
			index === 0 ? { user_id: 12, step_id: id } : { step_id: id, user_id: 12 },
		);

	const CHANGES: Array<[EventName, string, unknown, unknown, unknown]> = [
		['aborted', 'aborted_time', null, '', '2026-06-01T10:00:00+02:00'],
		['completed', 'completed_time', null, null, '2026-06-01T10:00:00Z'],
		['completed', 'completed_time', null, null, 'in the evening'],
		['activeStepsChanged', 'active_step_ids', [1, 2], [2, 1], [2, 3]],
		['deadlineChanged', 'deadline', '2026-08-01T10:00:00Z', '2026-08-01T12:00:00+02:00', null],
		['deadlineChanged', 'deadline', null, null, 'soon'],
		['nameChanged', 'name', '', null, 'New'],
		['priorityChanged', 'priority', null, null, 'H'],
		['stageChanged', 'stage', 'Review', 'Review', 'Done'],
		['stepAssignmentsChanged', 'step_assignments', steps(1, 2), steps(2, 1), steps(1)],
		['tagsChanged', 'tags', ['a', 'b'], ['b', 'a'], ['a']],
		['tagsChanged', 'tags', null, null, ['a']],
	];
	/** These have their own tests below. */
	const OTHERS: EventName[] = ['notFound', 'overdue'];

	test('has its row here', () => {
		const tested = new Set([...CHANGES.map(([event]) => event), ...OTHERS]);
		expect([...tested].sort()).toEqual(Object.keys(EVENTS).sort());
	});

	test('has a letter of its own, which is not reserved', () => {
		const letters = Object.values(EVENTS).map(({ letter }) => letter);
		const all = [...letters, ...RESERVED_LETTERS];
		expect(all.filter((letter, index) => all.indexOf(letter) !== index)).toEqual([]);
		expect(letters.filter((letter) => !/^[a-z]$/.test(letter))).toEqual([]);
	});

	test.each(CHANGES)('%s tells what %s was and is, once', async (event, field, from, same, to) => {
		const change = [[event, { [field]: { from, to } }]];
		const sights = [from, same, to, to].map((value) => ({ [field]: value }));
		const keepFinished = true;
		expect(await story([event], sights as IDataObject[], { keepFinished })).toEqual([
			null,
			null,
			change,
			null,
		]);
	});

	const LEFT_OUT = { completed_time: undefined, aborted_time: undefined, deadline: undefined };
	test.each<[EventName, string]>([
		['completed', 'completed_time'],
		['aborted', 'aborted_time'],
		['deadlineChanged', 'deadline'],
	])(
		'%s comes, too, when the first answer leaves %s out as others do empty ones',
		async (...[event, field]) => {
			const sights = [
				LEFT_OUT,
				LEFT_OUT,
				{ ...LEFT_OUT, [field]: '2026-08-01T10:00:00Z' },
				LEFT_OUT,
			];
			const change = { [field]: { from: null, to: '2026-08-01T10:00:00Z' } };
			const watched = await story([event], sights, { keepFinished: true });
			expect(watched).toEqual([null, null, [[event, change]], null]);
		},
	);

	test('overdue comes, too, when the first answer leaves the deadline out', async () => {
		const sights = [LEFT_OUT, { deadline: '2026-06-30T12:00:00Z' }];
		const [, told] = await story(['overdue'], sights);
		expect(told).toHaveLength(1);
	});

	test('is no field that the answer does not name', async () => {
		const sights = [{ stage: 'A' }, {}, { stage: 'A' }, {}, { stage: 'B' }];
		const change = [['stageChanged', { stage: { from: 'A', to: 'B' } }]];
		expect(await story(['stageChanged'], sights)).toEqual([null, null, null, null, change]);
	});

	test.each<[string, IDataObject]>([
		['simplified', { id: 7, stage: 'B', deadline: null, completed_time: null, aborted_time: null }],
		['selected', { id: 7, process_snapshot: '{"steps": []}' }],
	])('comes with the instance as in the %s output', async (output, instance) => {
		const outputFields = ['process_snapshot'];
		const parameters = { instanceIds: '7', events: ['stageChanged'], output, outputFields };
		const trigger = await createTrigger({ parameters });
		await see(trigger, { stage: 'A' }, { activates: true });
		const items = await see(trigger, { stage: 'B', process_snapshot: '{"steps": []}' });
		expect(items).toEqual([expect.objectContaining({ instance })]);
	});

	test('has one item each, in the output that was chosen', async () => {
		const trigger = await createTrigger({
			parameters: {
				instanceIds: '7',
				events: 'stageChanged, completed',
				output: 'selected',
				outputFields: ['stage'],
			},
		});
		await see(trigger, { stage: 'A' }, { activates: true });
		const items = await see(trigger, { stage: 'B', completed_time: '2026-06-30T10:00:00Z' });
		const eventId = (event: string) => expect.stringMatching(`^7-${event}-[0-9a-f]{16}$`);
		expect(items).toEqual([
			{
				event: 'stageChanged',
				eventId: eventId('stageChanged'),
				changes: { stage: { from: 'A', to: 'B' } },
				instance: { id: 7, stage: 'B' },
			},
			{
				event: 'completed',
				eventId: eventId('completed'),
				changes: { completed_time: { from: null, to: '2026-06-30T10:00:00Z' } },
				instance: { id: 7, stage: 'B' },
			},
		]);
	});
});

describe('overdue', () => {
	const OVERDUE = [['overdue', {}]];
	const due = (deadline: string, fields: IDataObject = {}) => ({ deadline, ...fields });

	test('comes once for each deadline, also for one that is moved', async () => {
		const sights = [
			due('2026-07-02T12:00:00Z'),
			due('2026-07-01T11:00:00Z'),
			due('2026-07-01T13:00:00+02:00'),
			due('2026-07-05T12:00:00Z'),
			due('2026-07-01T11:00:00Z'),
			due('2026-06-30T11:00:00Z'),
			due('someday'),
			{ deadline: null },
		];
		expect(await story(['overdue'], sights)).toEqual([
			null,
			OVERDUE,
			null,
			null,
			null,
			OVERDUE,
			null,
			null,
		]);
	});

	test('goes by the clock of the service', async () => {
		const trigger = await watch(['overdue']);
		const deadline = { deadline: '2031-01-01T00:00:00Z' };
		const at = async (now: string) => told(await see(trigger, deadline, { now }));
		await see(trigger, deadline, { activates: true });
		expect(await at(deadline.deadline)).toBeNull();
		expect(await at('2031-01-01T00:00:01Z')).toEqual(OVERDUE);
	});

	test('goes by the clock of n8n when the service does not tell its own', async () => {
		const trigger = await watch(['overdue']);
		const seeDeadline = async (deadline: string) => {
			service.get('/instances/7/').reply(200, { ...RUNNING, deadline });
			return told(await trigger.poll());
		};
		expect(await seeDeadline('2999-01-01T00:00:00Z')).toBeNull();
		expect(await seeDeadline('2020-01-01T00:00:00Z')).toEqual(OVERDUE);
	});

	test('is no instance that was finished', async () => {
		const late = '2026-06-01T00:00:00Z';
		const sights = [due('2026-08-01T00:00:00Z'), due(late, { aborted_time: late })];
		expect(await story(['overdue'], sights)).toEqual([null, null]);
	});
});

describe('an instance that is finished', () => {
	const completed = (time: string | null) => ({ completed_time: time });
	const change = (from: string | null, to: string) => [
		['completed', { completed_time: { from, to } }],
	];

	test('is not asked for any more', async () => {
		const trigger = await watch(['completed']);
		await see(trigger, {}, { activates: true });
		await see(trigger, completed('2026-06-01T00:00:00Z'));
		expect(trigger.saved().ids).toEqual({ 7: { x: 1 } });
		expect(await trigger.poll()).toBeNull();
	});

	test('is watched on when the user wants it, and told again when it is finished again', async () => {
		const trigger = await watch(['completed'], { keepFinished: true });
		const [first, second, third] = [
			'2026-06-01T10:00:00Z',
			'in June',
			'2026-06-03T10:00:00.5+02:00',
		];
		await see(trigger, {}, { activates: true });
		const items = [await see(trigger, completed(first))];
		expect(told(await see(trigger, completed(null)))).toBeNull();
		items.push(await see(trigger, completed(second)), await see(trigger, completed(third)));
		expect(items.map(told)).toEqual([
			change(null, first),
			change(first, second),
			change(second, third),
		]);
		expect(new Set(items.flat().map((item) => item?.eventId)).size).toBe(3);
	});

	test('is seen for the first time again when the user begins to watch finished ones', async () => {
		const trigger = await watch(['completed']);
		const done = completed('2026-06-01T00:00:00Z');
		await see(trigger, done, { activates: true });
		await trigger.restart({
			parameters: { instanceIds: '7', events: ['completed'], options: { keepFinished: true } },
		});
		expect(await see(trigger, done)).toEqual([]);
		expect(await see(trigger, completed('2026-06-02T00:00:00Z'))).toHaveLength(1);
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
		expect(await see(trigger, 404)).toEqual([
			expect.objectContaining({ event: 'notFound', instance: { id: 7 } }),
		]);
		expect(told(await see(trigger, { stage: 'B' }))).toEqual([
			['stageChanged', { stage: { from: 'A', to: 'B' } }],
		]);
	});
});

describe('the first sight', () => {
	const LATE = {
		deadline: '2026-06-01T00:00:00Z',
		stage: 'A',
		completed_time: null,
	};
	const DONE = { ...LATE, completed_time: '2026-06-02T00:00:00Z' };

	test.each<[string, IDataObject, unknown]>([
		['overdue', LATE, [['overdue', {}]]],
		[
			'finished',
			DONE,
			[['completed', { completed_time: { from: null, to: DONE.completed_time } }]],
		],
		['neither', {}, null],
	])('is told of an instance that is %s, if the user wants it', async (_, fields, items) => {
		const events = ['completed', 'overdue', 'stageChanged', 'notFound'];
		expect(await story(events, [fields], { emitFirst: true })).toEqual([items]);
		expect(await story(events, [fields])).toEqual([null]);
	});

	test('is told once, with an eventId that stays the same when n8n ends before it has saved', async () => {
		const ids = [];
		for (let times = 0; times < 2; times++) {
			const trigger = await watch(['overdue'], { emitFirst: true });
			ids.push((await see(trigger, LATE, { activates: true }))?.[0]?.eventId);
			expect(await see(trigger, LATE)).toBeNull();
		}
		expect(ids[0]).toBe(ids[1]);
	});

	test('of an event that is chosen later is remembered, not told', async () => {
		const trigger = await watch(['stageChanged']);
		await see(trigger, { stage: 'A', tags: [] }, { activates: true });
		const parameters = { instanceIds: '7', events: ['stageChanged', 'tagsChanged'] };
		await trigger.restart({ parameters });
		expect(await see(trigger, { stage: 'A', tags: ['x'] })).toEqual([]);
		expect(await see(trigger, { stage: 'B', tags: ['x', 'y'] })).toHaveLength(2);
	});
});

describe('the eventId', () => {
	const stages = async (trigger: Trigger, ...names: string[]) => {
		const ids: unknown[] = [];
		for (const stage of names) {
			const items = await see(trigger, { stage, last_updated_time: TODAY });
			ids.push(...(items ?? []).map(({ eventId }) => eventId));
		}
		return ids;
	};

	test('is another one when the same change comes again', async () => {
		const trigger = await watch(['stageChanged']);
		await see(trigger, { stage: 'A' }, { activates: true });
		const ids = await stages(trigger, 'B', 'A', 'B');
		expect(new Set(ids).size).toBe(3);
	});

	test('is the same when a poll is repeated, even if something else has changed meanwhile', async () => {
		const trigger = await watch(['stageChanged', 'tagsChanged']);
		await see(trigger, { stage: 'A', tags: [] }, { activates: true });
		const before = trigger.saved();
		const first = await see(trigger, { stage: 'B', tags: [] });
		await trigger.restart({ saved: before });
		const second = await see(trigger, { stage: 'B', tags: ['x'], last_updated_time: TODAY });
		expect(second?.map(({ event }) => event)).toEqual(['stageChanged', 'tagsChanged']);
		expect(second?.[0]?.eventId).toBe(first?.[0]?.eventId);
	});

	test('depends on when the instance had last been updated before its changes were watched for', async () => {
		const trigger = await watch(['overdue']);
		const remembered = () => Object(trigger.saved().ids)[7];
		const watchFor = async (...events: string[]) =>
			await trigger.restart({ parameters: { instanceIds: '7', events, output: 'raw' } });
		await see(trigger, { stage: 'A' }, { activates: true });
		expect(remembered()).toEqual({ o: 0 });

		await watchFor('overdue', 'stageChanged');
		await see(trigger, { stage: 'A', last_updated_time: TODAY });
		const first = { o: 0, s: 'A', b: new Date(TODAY).getTime() / 1000 };
		expect(remembered()).toEqual(first);
		await watchFor('overdue', 'stageChanged', 'nameChanged');
		await see(trigger, { stage: 'A', name: '', last_updated_time: '2026-07-02T12:00:00Z' });
		expect(remembered()).toEqual({ ...first, n: '' });
		await see(trigger, { stage: 'B', name: '', last_updated_time: '2026-07-02T13:00:00Z' });
		expect(remembered()).toEqual({ ...first, n: '', s: 'B', 's#': 1 });
	});

	test('is there, too, when the service does not say when an instance was last updated', async () => {
		const trigger = await watch(['stageChanged']);
		await see(trigger, { stage: 'A', last_updated_time: null }, { activates: true });
		expect(trigger.saved().ids).toEqual({ 7: { s: 'A' } });
		expect(await stages(trigger, 'B')).toHaveLength(1);
	});

	test('is another one for a change after the instance was seen for the first time again', async () => {
		const begin = async (last_updated_time: string) => {
			const trigger = await watch(['stageChanged']);
			await see(trigger, { stage: 'A', last_updated_time }, { activates: true });
			return await stages(trigger, 'B');
		};
		expect(await begin('2026-01-01T00:00:00Z')).not.toEqual(await begin('2026-02-01T00:00:00Z'));
	});
});

const IDS = [7, 8, 9];
const DAY = (day: number) => `2026-07-${String(day).padStart(2, '0')}T00:00:00Z`;
const WATCHED = eventNames();
const STEP = { step_id: 1, user_id: 2 };
/** What the fields of the events may be, at first the first of these. */
const VALUES: Record<string, Array<IDataObject[string]>> = {
	aborted_time: [null, null, DAY(4)],
	active_step_ids: [[1], [1, 2], [2, 1]],
	completed_time: [null, DAY(2), DAY(3)],
	deadline: [null, DAY(5), DAY(10), DAY(20)],
	name: ['', 'A', 'B'],
	priority: [null, 'H', 'V'],
	stage: ['A', 'B', 'C'],
	step_assignments: [[], [STEP], [STEP, { step_id: 2, user_id: 2 }]],
	tags: [[], ['a'], ['a', 'b'], ['b', 'a']],
};

/** Events for which null counts as said when the first response leaves it out. */
const WITH_MOMENTS: EventName[] = ['aborted', 'completed', 'deadlineChanged', 'overdue'];

function eventNames(): ChosenEvents {
	const [first = 'completed', ...others] = Object.keys(EVENTS).filter(isEventName);
	return [first, ...others];
}

/** The field of an event that tells a change of it. */
function fieldOf(event: EventName): string | undefined {
	const { field }: WatchedEvent = EVENTS[event];
	return field;
}

function isMoment(event: EventName): boolean {
	const { isState }: WatchedEvent = EVENTS[event];
	return Boolean(isState);
}

/** What became of a poll: it ended well, or n8n ended before it gave anything, or before it saved. */
type End = 'well' | 'unheard' | 'unsaved';
type Step =
	| { change: { id: number; field: string; choice: number } }
	| { poll: { unread: number[]; gone: number[]; unsaid: string[]; day: number; end: End } }
	| 'restart';

const someOf = <T>(all: T[]) =>
	fc.oneof(
		{ weight: 3, arbitrary: fc.constant<T[]>([]) },
		{ weight: 1, arbitrary: fc.subarray(all) },
	);
const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({
				change: fc.record({
					id: fc.constantFrom(...IDS),
					field: fc.constantFrom(...Object.keys(VALUES)),
					choice: fc.nat(3),
				}),
			}),
		},
		{
			weight: 4,
			arbitrary: fc.record({
				poll: fc.record({
					unread: someOf(IDS),
					gone: someOf(IDS),
					unsaid: someOf(Object.keys(VALUES)),
					day: fc.integer({ min: 1, max: 25 }),
					end: fc.constantFrom<End>('well', 'well', 'well', 'unheard', 'unsaved'),
				}),
			}),
		},
		{ weight: 1, arbitrary: fc.constant('restart' as const) },
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

/** What somebody would do who has the room to keep all values, and to count what was told. */
class Model {
	private readonly known = new Map<string, IDataObject[string]>();

	private readonly times = new Map<string, number>();

	expect(id: number, observation: Observation, tellsState: boolean): Expected[] {
		return WATCHED.flatMap((event) => {
			const key = `${id} ${event}`;
			const before = this.known.get(key);
			const isFirst = before === undefined && observation.instance !== undefined;
			const leftOut = isFirst && WITH_MOMENTS.includes(event) ? null : undefined;
			const said = this.valueOf(event, observation);
			const now = said === undefined ? leftOut : said;
			if (now === undefined || spelled(now) === spelled(before)) return [];
			const isOne = isMoment(event);
			// A moment that is taken back may come again; until then the last one counts.
			if (isOne && now === null && before !== undefined) return [];
			this.known.set(key, now);
			if (now === (event === 'notFound' ? 'there' : isOne ? null : undefined)) return [];
			if (before === undefined && !(isOne && tellsState)) return [];
			const times = this.times.get(key) ?? 0;
			this.times.set(key, times + 1);
			const field = fieldOf(event);
			const changes = field === undefined ? {} : { [field]: { from: before ?? null, to: now } };
			const what = isOne ? spelled(now) : `${times} ${spelled(before)} ${spelled(now)}`;
			return [{ event, what: `${key} ${what}`, changes }];
		});
	}

	copy(): Model {
		const copy = new Model();
		this.known.forEach((value, key) => copy.known.set(key, value));
		this.times.forEach((value, key) => copy.times.set(key, value));
		return copy;
	}

	private valueOf(event: EventName, { instance, at }: Observation): IDataObject[string] {
		if (event === 'notFound') return instance === undefined ? 'gone' : 'there';
		if (event !== 'overdue') return instance?.[fieldOf(event) ?? ''];
		if (instance?.deadline === undefined) return undefined;
		const isFinished = Boolean(instance.completed_time ?? instance.aborted_time);
		const isPast = instance.deadline !== null && Date.parse(String(instance.deadline)) < at;
		return isPast && !isFinished ? instance.deadline : null;
	}
}

interface Kept {
	entries: Map<number, InstanceState>;
	model: Model;
}

const copyOf = ({ entries, model }: Kept): Kept => ({
	entries: new Map(JSON.parse(JSON.stringify([...entries]))),
	model: model.copy(),
});

/** Plays a history, and checks each poll against the model. Gives all that was told, by its eventId. */
function play(history: Step[], keepFinished: boolean, emitFirst: boolean): Map<string, string> {
	const first = Object.entries(VALUES).map(([field, [value]]) => [field, value]);
	const service = new Map(
		IDS.map((id): [number, IDataObject] => [id, { id, ...Object.fromEntries(first) }]),
	);
	const toldBy = new Map<string, string>();
	let state: Kept = { entries: new Map(), model: new Model() };
	let saved = copyOf(state);
	let updates = 0;

	const pollOf = ({ unread, gone, unsaid, day, end }: Extract<Step, { poll: unknown }>['poll']) => {
		const next = copyOf(state);
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
			const detection = detectEvents(id, entry, observation, {
				events: WATCHED,
				emitFirst,
				keepFinished,
			});
			const expected = next.model.expect(id, observation, emitFirst && entry === undefined);
			expect(detection.triggerEvents).toEqual(
				expected.map(({ event, changes }) => ({ event, changes, eventId: expect.any(String) })),
			);
			detection.triggerEvents.forEach(({ eventId }, index) =>
				told.push([eventId, expected[index]?.what ?? '']),
			);
			isSaved ||= detection.isFirstSight || detection.triggerEvents.length > 0;
			next.entries.set(id, detection.entry);
		}
		if (end === 'unheard') {
			state = copyOf(saved);
			return;
		}
		for (const [eventId, what] of told) {
			// The same ID means the same event, and the other way round.
			expect(toldBy.get(eventId) ?? what).toBe(what);
			toldBy.set(eventId, what);
		}
		if (end === 'unsaved') state = copyOf(saved);
		else {
			state = next;
			if (isSaved) saved = copyOf(next);
		}
	};

	for (const step of history) {
		if (step === 'restart') state = copyOf(saved);
		else if ('poll' in step) pollOf(step.poll);
		else {
			const { id, field, choice } = step.change;
			const values = VALUES[field] ?? [];
			const last_updated_time = new Date(Date.UTC(2026, 0, 1) + updates++ * 1000).toISOString();
			const changed = { ...service.get(id), [field]: values[choice % values.length] };
			service.set(id, { ...changed, last_updated_time });
		}
	}
	return toldBy;
}

test('every field of an event has values here', () => {
	const fields = WATCHED.flatMap((event) => fieldOf(event) ?? []);
	expect(Object.keys(VALUES)).toEqual([...new Set(fields)].sort());
});

test.each([
	[true, false],
	[false, false],
	[true, true],
])(
	'over any history a poll tells what a simple model tells (finished ones watched on: %s, first state told: %s)',
	(keepFinished, emitFirst) => {
		fc.assert(
			fc.property(steps, (history) => {
				const toldBy = play(history, keepFinished, emitFirst);
				const whats = [...toldBy.values()];
				expect(new Set(whats).size).toBe(whats.length);
			}),
			settings(CASES),
		);
	},
);
