import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { UPDATE_PARAMETERS } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { isObject } from '../../nodes/WorkflowInstanceService/values/json';
import { createContract, type LogEntry, SEED } from '../../sandbox/service';
import { expressionEngine, useNodeRunner } from '../harness';
import { aBody, bodies, SETTABLE, settableOf, stored } from './support/instances';
import { CASES, hostileValue, ownWords, PLAIN_WORDS, settings } from './support/hostile';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

jest.setTimeout(Math.max(60_000, CASES * 100));

/** Items of one run: many, because a run costs more than an item. */
const ITEMS = CASES < 1_000 ? 25 : 100;
const valuesOfItems = (usable: unknown[]) =>
	fc.array(hostileValue(usable), { minLength: ITEMS, maxLength: ITEMS });

const sandbox = useSandbox();
const continuing = useNodeRunner({ parameters: {}, onError: 'continueRegularOutput' });
const stopping = useNodeRunner({ parameters: {} });

function toItem(id: number | undefined, value: unknown): IDataObject {
	const item: IDataObject = { id };
	if (value !== undefined) Reflect.set(item, 'value', value);
	return item;
}

/** What in a request the interface does not allow. */
function violations({ method, url, headers, body }: LogEntry): string[] {
	return createContract({ baseUrl: sandbox.credentials.baseUrl })
		.validateRequest({
			method,
			path: url,
			headers: { ...headers, authorization: 'Api-Key k' },
			body: body === '' ? undefined : body,
		})
		.map(({ message }) => message);
}

const VALUE = '={{ $json.value }}';
type Settable = ReturnType<typeof settableOf>;
const DEADLINE = '2026-07-01T10:00:00+02:00';
const ROWS = [
	{ step_id: 7, user_id: 8 },
	{ stepId: ' 7 ', userId: '8' },
];
const ROWS_KEY = 'step_assignments';
/** Steps that the instances of the sandbox have. */
const STEPS = [1101, 1102, 1201, 1202, 1301, 1302].map((step_id) => ({ step_id, user_id: 7 }));
const LISTS = [ROWS, '[{"stepId":"1","userId":2}]', [], STEPS];
const LIST = [{ list: [{ assignments: VALUE }] }];
const PROCESSES = [11, '12', 12, 'https://a/api/processes/11/', ' http://x/processes/12'];
const ROW = { assignment: [{ stepId: 1, userId: '2' }] };
const ROW_SENT = [{ step_id: 1, user_id: 2 }];
const OF_STEP = { assignment: [{ stepId: '1201', userId: '' }] };

/** What is sent for a value of the form; of what amends a list, what it adds or removes. */
type Choice = [value: INodeParameters[string], sent?: unknown, amends?: 'adding' | 'removing'];
type Forms = Array<INodeParameters[string]>;
/**
 * The parameters under 'Fields to Update': the key that may change, values that are taken, a choice to
 * be combined with others, if there is one, and what holds a value in the form.
 */
const PARAMETERS: Record<string, [key: string, usable: unknown[], Choice | null, Forms?]> = {
	name: ['name', ['A', 'x'.repeat(255), '😀'.repeat(255), 7], [118, '118']],
	automaticNaming: ['name', [true, 'true'], [true]],
	deadline: ['deadline', ['2026-07-01', 1_782_900_000], [DEADLINE, DEADLINE]],
	priority: ['priority', ['H', ' v', 'Regular ', 'High', 'very HIGH'], ['Very High', 'V']],
	tags: ['tags', ['a, b', ['a', 'b '], '["a"]', []], [' b, a', ['b', 'a']]],
	addTags: ['tags', ['a, finance', ['a', 7], '["a, b"]', []], ['a, b', ['a', 'b'], 'adding']],
	removeTags: ['tags', ['hr', ['hr', 'berlin'], 'audit,hr'], ['urgent', ['urgent'], 'removing']],
	stepAssignments: [ROWS_KEY, LISTS, [ROW, ROW_SENT], LIST],
	addStepAssignments: [ROWS_KEY, LISTS, [ROW, ROW_SENT, 'adding'], LIST],
	removeStepAssignments: [ROWS_KEY, LISTS, [OF_STEP, [1201], 'removing'], LIST],
	reassignSteps: [ROWS_KEY, LISTS, null, LIST],
	process: ['process', PROCESSES, null, [locator(VALUE), locator(VALUE, 'url')]],
};

/** What takes a value: its label in messages, the keys that may change, and values that are taken. */
type Place = [label: string, INodeParameters, keys: readonly string[], usable: unknown[]];
const PLACES: Place[] = [
	...UPDATE_PARAMETERS.flatMap(({ name, label }) => {
		const row = PARAMETERS[name];
		if (row === undefined) throw new Error(`PARAMETERS has no row for '${name}'`);
		const [key, usable, , forms = [VALUE]] = row;
		return forms.map(
			(form): Place => [`'${label}'`, { updateFields: { [name]: form } }, [key], usable],
		);
	}),
	["'Fields to Clear'", { clearFields: VALUE }, SETTABLE, ['name', ['tags', 'deadline']]],
];

/** What the messages say when a value means that nothing was chosen. */
const NOTHING = 'There is nothing to update';

describe('Update with arbitrary values', () => {
	/** New instances that the service lets us name, and what they hold. */
	const instances = (count: number): Map<number, Settable> => {
		const ids = sandbox.control.addInstances(count * 2).filter((id) => id % 3 !== 0);
		const entries = ids.map((id) => [id, settableOf(stored(sandbox, id))] as const);
		return new Map(entries.filter(([, { process }]) => !process.endsWith('/13/')).slice(0, count));
	};

	interface Case {
		value: unknown;
		index: number;
		before: Settable;
		after: Settable;
		/** The requests for the instance of the item. */
		sent: string[];
		item: INodeExecutionData;
	}

	/** What is wrong with what came of one item; undefined when nothing is. */
	function whatIsWrong([label, , keys, usable]: Place, result: Case): string | undefined {
		const { value, index, before, after, sent, item } = result;
		const { json, error, pairedItem } = item;
		const isRefused = json.error !== undefined || error !== undefined;
		// Only the service knows which processes there are.
		const unknownProcess = label === "'Process'" && String(json.error).includes('(400): ');
		if (isRefused && sent.length > 0 && !unknownProcess) return 'refused, but something was sent';
		if (isRefused && JSON.stringify(after) !== JSON.stringify(before)) return 'changed';
		// The vm engine does not let out every object; then n8n itself makes the item.
		if (error !== undefined) return expressionEngine() === 'vm' ? undefined : error.message;
		if (JSON.stringify(pairedItem) !== JSON.stringify({ item: index })) return 'not paired';
		if (isRefused) {
			const text = String(json.error);
			if (usable.some((good) => JSON.stringify(good) === JSON.stringify(value)))
				return `should not be refused: ${text}`;
			if (!unknownProcess && !text.includes(label) && !text.startsWith(NOTHING))
				return `without its label: ${text}`;
			if (!PLAIN_WORDS.test(ownWords(text))) return `not in plain words: ${text}`;
			return text.includes(sandbox.credentials.apiKey) ? 'shows the key' : undefined;
		}
		if (value === undefined || isObject(value)) return 'should be refused';
		if (sent.map((request) => request.slice(0, 3)).join() !== 'GET,PUT') return sent.join();
		const kept = SETTABLE.filter((key) => !keys.includes(key));
		const told = (settable: Settable, key: string) => JSON.stringify(Reflect.get(settable, key));
		const changed = kept.filter((key) => told(after, key) !== told(before, key));
		return changed.length === 0 ? undefined : `changed ${changed.join()}`;
	}

	test.each(PLACES)('%s is either taken or refused by its label', async (...place) => {
		const [, parameters, , usable] = place;
		const property = fc.asyncProperty(valuesOfItems(usable), async (given) => {
			sandbox.control.reset();
			const present = instances(given.length);
			const ids = [...present.keys()];
			const { outputs } = await continuing.run({
				parameters: { operation: 'update', instanceId: ID_OF_ITEM, ...parameters },
				items: given.map((value, index) => toItem(ids[index], value)),
				credentials: sandbox.credentials,
			});
			expect(sandbox.log().flatMap(violations)).toEqual([]);
			for (const body of bodies(sandbox, 'PUT')) {
				expect(SETTABLE).toEqual(expect.arrayContaining(Object.keys(body)));
			}
			expect(outputs[0]).toHaveLength(given.length);
			const requests = sandbox.requests();
			const wrong = [...present].map(([id, before], index) => {
				const [value, item = { json: {} }] = [given[index], outputs[0]?.[index]];
				const sent = requests.filter((request) => request.endsWith(`/instances/${id}/`));
				const after = settableOf(stored(sandbox, id));
				const why = whatIsWrong(place, { value, index, before, after, sent, item });
				return why && { value, why };
			});
			expect(wrong.filter(Boolean)).toEqual([]);
		});
		await fc.assert(property, settings(CASES / PLACES.length / ITEMS));
	});

	const CHOICES = Object.entries(PARAMETERS).flatMap(([field, [key, , choice]]) => {
		if (choice === null) return [];
		const [value, sent, amends] = choice;
		return [{ field, key, value, sent, amends }];
	});
	const CLEARABLE = CHOICES.filter(({ value, amends }) => value !== true && amends === undefined);
	const combination = fc.record({
		chosen: fc.subarray(CHOICES),
		cleared: fc.subarray(CLEARABLE),
		keeps: fc.boolean(),
		process: fc.constantFrom(undefined, 11, 12),
		id: fc.constantFrom(SEED.running, SEED.fullyFilled, SEED.bare, SEED.overdue),
	});

	/** A list as the chosen amendments of its key leave it; undefined when there are none. */
	function amended(key: string, chosen: typeof CHOICES, before: Settable): unknown[] | undefined {
		const own = chosen.filter((choice) => choice.key === key && choice.amends !== undefined);
		if (own.length === 0) return undefined;
		const entries = (how: Choice[2]) =>
			own.flatMap(({ amends, sent }) => (amends === how ? sent : []));
		const present: unknown[] = [Reflect.get(before, key)].flat();
		return [...present, ...entries('adding')].filter(
			(entry) => !entries('removing').includes(Object(entry).step_id ?? entry),
		);
	}

	test('sends exactly what a combination of choices means, or refuses it', async () => {
		const property = fc.asyncProperty(combination, async (given) => {
			const { chosen, cleared, keeps, process, id } = given;
			sandbox.control.reset();
			const before = settableOf(stored(sandbox, id));
			const options = { unsetFields: keeps ? 'keep' : 'reset' };
			const updateFields = {
				...(process !== undefined && { process: locator(process) }),
				...Object.fromEntries(chosen.map(({ field, value }) => [field, value])),
			};
			const fields = { updateFields, clearFields: cleared.map(({ field }) => field) };
			const { outputs } = await continuing.run({
				parameters: { operation: 'update', instanceId: locator(id), options, ...fields },
				credentials: sandbox.credentials,
			});
			const isAmending = ({ amends }: { amends?: unknown }) => amends !== undefined;
			const replaced = [...chosen.filter((choice) => !isAmending(choice)), ...cleared];
			const amendedKeys = new Set(chosen.filter(isAmending).map(({ key }) => key));
			const keys = [...replaced.map(({ key }) => key), ...amendedKeys];
			const contradicts = new Set(keys).size < keys.length;
			const nothing = keys.length === 0 && process === undefined;
			const json: IDataObject = outputs[0]?.[0]?.json ?? {};
			if (contradicts || nothing || (!keeps && process === undefined)) {
				expect(json.error).toMatch(PLAIN_WORDS);
				expect(json.error).toMatch(/'|nothing to update/);
				expect(sandbox.requests()).toEqual([]);
				return;
			}
			expect(json.error).toBeUndefined();
			const get = keeps || amendedKeys.size > 0 ? [`GET /api/instances/${id}/`] : [];
			expect(sandbox.requests()).toEqual([...get, `PUT /api/instances/${id}/`]);
			// What the sandbox makes of a key that is not sent.
			const unsent: IDataObject = { ...aBody(), name: '', process: before.process };
			const expected: Record<string, unknown> = { ...(keeps ? before : unsent) };
			for (const key of amendedKeys) expected[key] = amended(key, chosen, before);
			for (const { key, sent, amends } of chosen) {
				if (amends === undefined) expected[key] = sent ?? unsent[key];
			}
			for (const { key } of cleared) expected[key] = aBody()[key];
			if (process !== undefined) {
				expected.process = `${sandbox.credentials.baseUrl}/processes/${process}/`;
			}
			expect(settableOf(stored(sandbox, id))).toEqual(expected);
		});
		await fc.assert(property, settings(CASES / 4));
	});
});

const LABELS = { inputField: "'ID Field'", list: "'Instance IDs'" };

function entriesOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	if (value.trim().startsWith('[')) {
		try {
			return [JSON.parse(value)].flat();
		} catch {
			return [value];
		}
	}
	return value.split(/,|\n/).filter((entry) => entry.trim() !== '');
}

/** The ids that a value is, as the README says; undefined when it is something else. */
function idsOf(value: unknown): number[] | undefined {
	const ids = entriesOf(value).map((entry) => {
		if (typeof entry === 'number') return entry;
		if (typeof entry !== 'string') return NaN;
		const [, digits] =
			/^(?:https?:\/\/[^\s?#]+\/instances\/(?=\d+\/?$))?([1-9]\d*)\/?$/.exec(entry.trim()) ?? [];
		return digits === undefined || /^\d+\/$/.test(entry.trim()) ? NaN : Number(digits);
	});
	return ids.every((id) => Number.isSafeInteger(id) && id > 0) ? ids : undefined;
}

/** The items that name each id, in the order in which the ids are first seen. */
function itemsById(lists: Array<number[] | undefined>): Map<number, number[]> {
	const byId = new Map<number, number[]>();
	for (const [item, ids] of lists.entries()) {
		for (const id of new Set(ids)) byId.set(id, [...(byId.get(id) ?? []), item]);
	}
	return byId;
}

function paired(items: number[]): INodeExecutionData['pairedItem'] {
	const pairs = items.map((item) => ({ item }));
	return pairs.length === 1 ? pairs[0] : pairs;
}

const id = fc.integer({ min: 1, max: 60 });
const uri = id.map((number) => `https://other.example/api/instances/${number}/`);
const entry = fc.oneof(id, id.map(String), uri);
/** All forms in which an item may name ids. */
const naming: fc.Arbitrary<unknown> = fc.oneof(
	entry,
	fc.array(entry, { minLength: 1, maxLength: 6 }),
	fc.array(id, { maxLength: 6 }).map((ids) => JSON.stringify(ids)),
	fc
		.array(entry, { minLength: 1, maxLength: 6 })
		.chain((ids) => fc.constantFrom(',', '\n', ' , ', ',\n').map((by) => ids.join(by))),
);

describe('Bulk Delete with arbitrary values', () => {
	const idsSent = () => bodies(sandbox, 'POST').map(({ ids }) => ids);

	test('merges whatever names ids into as few requests as the batch size allows', async () => {
		const values = fc.array(naming, { minLength: 1, maxLength: 30 });
		const sizes = fc.integer({ min: 1, max: 20 });
		const property = fc.asyncProperty(values, sizes, async (given, batchSize) => {
			sandbox.control.clearLog();
			const { outputs, evaluations } = await stopping.run({
				parameters: {
					...{ operation: 'bulkDelete', idSource: 'inputField', idField: 'deep.ids' },
					options: { batchSize, onEmpty: 'nothing' },
				},
				items: given.map((value) => ({ deep: { ...Object({ ids: value }) } })),
				credentials: sandbox.credentials,
			});
			const byId = itemsById(given.map(idsOf));
			const ids = [...byId.keys()];
			const starts = ids.flatMap((_id, place) => (place % batchSize === 0 ? place : []));
			expect(idsSent()).toEqual(starts.map((start) => ids.slice(start, start + batchSize)));
			const json = (id: number) => ({ id, deleted: true });
			expect(outputs[0]).toEqual(
				[...byId].map(([id, items]) => ({ json: json(id), pairedItem: paired(items) })),
			);
			expect(evaluations).toBe(0);
		});
		await fc.assert(property, settings(CASES / 40));
	});

	const isUsable = (value: unknown) => (idsOf(value) ?? []).length > 0;

	test.each(['inputField', 'list'] as const)('%s: each is taken or refused', async (idSource) => {
		const values = valuesOfItems([1, '2,3', [4, '5'], '[6]']).map((hostile) => [1, ...hostile]);
		const property = fc.asyncProperty(values, async (given) => {
			sandbox.control.clearLog();
			const { outputs } = await continuing.run({
				parameters: { operation: 'bulkDelete', idSource, idField: 'value', instanceIds: VALUE },
				items: given.map((value, index) => toItem(index, value)),
				credentials: sandbox.credentials,
			});
			expect(sandbox.log().flatMap(violations)).toEqual([]);
			const output = outputs[0] ?? [];
			// The vm engine does not let out every object; then n8n itself makes the item, unpaired.
			const ofNode = output.filter(({ error }) => error === undefined);
			if (expressionEngine() === 'legacy') expect(ofNode).toHaveLength(output.length);
			const refused = ofNode.filter(({ json }) => json.error !== undefined);
			for (const { json } of refused) {
				expect(json.error).toContain(LABELS[idSource]);
				expect(ownWords(json.error)).toMatch(PLAIN_WORDS);
			}
			const bad = given.flatMap((value, item) => (isUsable(value) ? [] : [item]));
			const reported = refused.map(({ json }) => Object(json.details).item);
			expect(bad).toEqual(expect.arrayContaining(reported));
			expect(reported.length).toBe(bad.length - (output.length - ofNode.length));
			const ids = given.map((value) => (isUsable(value) ? idsOf(value) : []));
			expect(idsSent().flat()).toEqual([...itemsById(ids).keys()]);
		});
		await fc.assert(property, settings(CASES / 4 / ITEMS));
	});
});
