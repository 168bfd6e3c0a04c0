import fc from 'fast-check';

import { settings } from '../engine/support/hostile';
import { assigned } from '../engine/support/steps';
import { createTrigger, useVirtualClock } from '../harness';
import { useServer, type ValueOf } from './service';

const NULLS = [null, '', undefined];
const NONE = [null, []];
/** A response that leaves out what can't be null doesn't say anything. */
const ABSENT = [undefined];
const EARLY = ['2020-01-01T10:00:00Z', '2020-01-01T10:00:00.5Z', '2020-01-01 12:00:00+02:00'];
const LATE = ['2020-01-02T10:00:00Z', '2020-01-02T06:30:00-03:30'];
const FUTURE = ['2999-01-01T00:00:00Z'];
const inAnyOrder = (...list: unknown[]) => [list, list.toReversed()];
const PAIRS = inAnyOrder(assigned(1, 4), assigned(2, 5));
const AS_TEXT = [{ user_id: '5', step_id: '2' }, assigned(1, 4)];
/** The values that a field may have, each with its spellings. */
const VALUES: Record<string, unknown[][]> = {
	name: [NULLS, ['A'], ['B']],
	deadline: [NULLS, EARLY, LATE, FUTURE, ['2020-01-01T10:00:00', '2020-01-01T10:00']],
	priority: [NULLS, ['H'], ['V']],
	completed_time: [NULLS, EARLY, NULLS, LATE, NULLS],
	aborted_time: [NULLS, EARLY, NULLS, NULLS, NULLS],
	stage: [[null, ''], ['S1'], ['S2'], ABSENT],
	tags: [NONE, inAnyOrder('a', 'b'), [['a']], ABSENT],
	active_step_ids: [NONE, inAnyOrder(9, 10), [[9]], ABSENT],
	step_assignments: [NONE, [...PAIRS, AS_TEXT], [[assigned(1, 5)]], ABSENT],
};
/** The fields that events are about: first those of states, in which an instance may be from the first check on. */
const FIELDS: Record<string, string> = {
	...{ completed: 'completed_time', aborted: 'aborted_time', overdue: 'deadline', notFound: '' },
	...{ activeStepsChanged: 'active_step_ids', stepAssignmentsChanged: 'step_assignments' },
	...{ deadlineChanged: 'deadline', nameChanged: 'name', priorityChanged: 'priority' },
	...{ stageChanged: 'stage', tagsChanged: 'tags' },
};
const EVENTS = Object.keys(FIELDS);
const IDS = [1, 2];
const NOT_FOUND = '404{"detail":"Not found."}';
/** What may happen to a request, besides a response with the instance: status and body. */
const FAULTS = [NOT_FOUND, NOT_FOUND, ...'404<p> 403{} 500 503 0 200{"id":7} 200<p>'.split(' ')];

const anId = fc.constantFrom(...IDS);
const aConfig = fc.record({
	ids: fc.subarray(IDS, { minLength: 1 }),
	events: fc.oneof(fc.constant(EVENTS), fc.subarray(EVENTS, { minLength: 1 })),
	options: fc.record({ emitFirst: fc.boolean(), keepFinished: fc.boolean() }),
});
/** Half of the changes only spell a value in another way. */
const aValue = fc.option(fc.nat(59), { freq: 2, nil: undefined });
const aField = fc.constantFrom(...Object.keys(VALUES));
const aStep = fc.record({
	/** Fields that get another value or spelling. */
	changes: fc.array(fc.tuple(anId, aField, aValue, fc.nat(5)), { maxLength: 14 }),
	faults: fc.array(fc.tuple(anId, fc.constantFrom('', ...FAULTS)), { maxLength: 2 }),
	edit: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, aConfig),
	/** What becomes of n8n: killed before it saved what the check returned and stored, or later. */
	end: fc.constantFrom('running', 'running', 'killed', 'killed early'),
});

/** An instance: of each field the value, as its place in the list, and the spelling. */
type Instance = Record<string, [place: number, spelling: unknown]>;
/** What is recorded: when it was first seen, how many events it has had, and values until it's finished. */
type InstanceState = { since: number[]; values?: Record<string, number | undefined> };

const BLANK: Instance = Object.fromEntries(Object.keys(VALUES).map((field) => [field, [0, null]]));
const placeOf = (instance: Instance, field: string) => instance[field]?.[0] ?? 0;
const isFinished = (instance: Instance) =>
	placeOf(instance, 'completed_time') + placeOf(instance, 'aborted_time') > 0;

/** What an event is about: undefined where the response doesn't say, 0 for nothing. */
function valueOf(event: string, instance: Instance | undefined, last = 0): number | undefined {
	if (event === 'notFound') return instance ? 0 : 1;
	const field = FIELDS[event] ?? '';
	const value = placeOf(instance ?? {}, field);
	const meaning = VALUES[field]?.[value];
	if (!instance || meaning === ABSENT) return undefined;
	// The time of a completion still counts after it's removed, in case it comes again.
	if (/^(completed|aborted)$/.test(event)) return value || last;
	const isOverdue = value === last || (meaning !== FUTURE && !isFinished(instance));
	return event === 'overdue' && !isOverdue ? 0 : value;
}

const clock = useVirtualClock();
const start = useServer();

/** Plays a history, and compares each check with the contract. */
async function play(initial: ValueOf<typeof aConfig>, steps: Array<ValueOf<typeof aStep>>) {
	const instances = new Map(IDS.map((id) => [id, { ...BLANK }]));
	const faults = new Map<number, string>();
	const requests = new Set<number>();
	const bodyOf = (id: number) => {
		const fields = Object.entries(instances.get(id) ?? {});
		const values = fields.map(([name, [, value]]) => [name, value]);
		return JSON.stringify({ id, ...Object.fromEntries(values) });
	};
	const credentials = start(({ id }) => {
		requests.add(id);
		const response = faults.get(id) || `200${bodyOf(id)}`;
		return [Number.parseInt(response, 10), response.replace(/^\d+/, '')];
	});
	let config = initial;
	const parameters = () => ({ ...config, instanceIds: config.ids.join(', '), output: 'raw' });
	const trigger = await createTrigger({ parameters: parameters(), credentials });
	let states = new Map<number, InstanceState>();
	/** The `eventId` of each event, by all that makes it another one. */
	const eventIds = new Map<string, unknown>();

	async function check(how: 'activate' | 'init' | 'update' | 'poll') {
		await clock().sleep(60_000);
		const { ids, events, options } = config;
		const next = new Map([...states].filter(([id]) => ids.includes(id)));
		const isOpen = (id: number) => options.keepFinished || next.get(id)?.values || !next.has(id);
		const watched = ids.filter(isOpen);
		const expected: Array<[id: number, event: string, from: number, key: string]> = [];
		let isFailure = watched.length > 0;
		for (const id of watched) {
			const { values = {}, since = [clock().now(), 0] } = states.get(id) ?? {};
			const isGone = states.has(id) && events.includes('notFound') && faults.get(id) === NOT_FOUND;
			if (faults.get(id) && !isGone) continue;
			isFailure = false;
			const instance = isGone ? undefined : instances.get(id);
			const now: InstanceState['values'] = {};
			const already = expected.length;
			for (const event of events) {
				const isState = EVENTS.indexOf(event) < 4;
				const isInitial = isState && event !== 'notFound' && !states.has(id) && options.emitFirst;
				const from = isInitial ? 0 : values[event];
				const to = valueOf(event, instance, from);
				now[event] = to ?? from;
				if (from === undefined || (to ?? from) === from || (isState && to === 0)) continue;
				const key = JSON.stringify([id, event, to, ...(states.has(id) ? [from, since] : [])]);
				expected.push([id, event, from, key]);
			}
			const isDone = instance && isFinished(instance) && !options.keepFinished;
			const [at = 0, count = 0] = since;
			const later = [at, count + expected.length - already];
			next.set(id, { since: later, ...(!isDone && { values: now }) });
		}

		requests.clear();
		const polling = how === 'poll' ? trigger.poll() : trigger.activate(how);
		const outcome = await polling.then((items) => items ?? [], String);
		expect(requests).toEqual(new Set(watched));
		if (isFailure && how !== 'init') return expect(outcome).toMatch(/^NodeApiError: /);
		const items = [outcome].flat().map(Object);
		const about = items.map(({ event, instance }) => [instance.id, event]);
		expect(about).toEqual(expected.map(([id, event]) => [id, event]));
		expected.forEach(([id, event, from, key], place) => {
			const { eventId, changes, instance } = items[place];
			const field = FIELDS[event] ?? '';
			const body = JSON.parse(bodyOf(id));
			expect(instance).toEqual(field ? body : { id });
			expect(Object.keys(changes)).toEqual(field ? [field] : []);
			if (field) expect(changes[field].to).toEqual(body[field] ?? null);
			const before = VALUES[field]?.[from]?.map((value) => value ?? null);
			if (/Changed$/.test(event)) expect(before).toContainEqual(changes[field].from);
			expect(eventIds.get(key) ?? eventId).toBe(eventId);
			eventIds.set(key, eventId);
		});
		expect(new Set(eventIds.values()).size).toBe(eventIds.size);
		if (!isFailure) states = next;
		expect(Object.keys(Object(trigger.saved().ids))).toEqual([...states.keys()].sort().map(String));
	}

	await check('activate');
	for (const { changes, faults: more, edit, end } of steps) {
		for (const [id, field, value, spelling] of changes) {
			const instance = instances.get(id) ?? {};
			const values = VALUES[field] ?? [];
			const spellings = values[(value ?? placeOf(instance, field)) % values.length] ?? [];
			instance[field] = [values.indexOf(spellings), spellings[spelling % spellings.length]];
		}
		for (const [id, fault] of more) faults.set(id, fault);
		// While the trigger is published, all instances can be read.
		if (edit) faults.clear();
		config = edit ?? config;
		if (edit) await trigger.restart({ parameters: parameters() });
		const [before, saved] = [states, trigger.saved()];
		await check(edit ? 'update' : 'poll');
		if (end === 'running') continue;
		if (end === 'killed early') states = before;
		await trigger.restart(end === 'killed early' ? { saved } : {});
		await check('init');
	}
}

test('The trigger does what the contract says', async () => {
	const steps = fc.array(aStep, { minLength: 4, maxLength: 10 });
	const property = fc.asyncProperty(aConfig, steps, play);
	await fc.assert(property, settings(Number(process.env.CASES ?? 60)));
}, 36_000_000);
