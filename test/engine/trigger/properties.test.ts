import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	type EventName,
	EVENTS,
	isEventName,
	type Observation,
	type WatchedEvent,
} from '../../../nodes/WorkflowInstanceService/trigger/events';
import {
	type ChosenEvents,
	type InstanceState,
	isNoLongerWatched,
	detectEvents,
} from '../../../nodes/WorkflowInstanceService/trigger/detectEvents';

const RUNS = 2_000;
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
	'over thousands of histories a poll tells what a simple model tells (finished ones watched on: %s, first state told: %s)',
	(keepFinished, emitFirst) => {
		fc.assert(
			fc.property(steps, (history) => {
				const toldBy = play(history, keepFinished, emitFirst);
				const whats = [...toldBy.values()];
				expect(new Set(whats).size).toBe(whats.length);
			}),
			{ numRuns: RUNS },
		);
	},
);
