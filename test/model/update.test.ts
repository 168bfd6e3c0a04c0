import fc from 'fast-check';
import type { IDataObject, OnError } from 'n8n-workflow';

import { FIELDS } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { settings } from '../engine/support/hostile';
import { ID_OF_ITEM, locator } from '../engine/support/sandbox';
import { assigned, reassign, rows } from '../engine/support/steps';
import { runNode } from '../harness';
import { inputsOf, type Instance, useServer, type ValueOf } from './service';

/** What is sent for a field, depending on what the instance has. */
type Effect = (present: unknown[]) => unknown;

interface Parameter {
	label: string;
	key: string;
	/** Valid values with their effects; test/engine has many more. */
	valid: Record<string, Effect>;
	invalid: string[];
	/** Whether it edits what the instance has. */
	isEdit?: boolean;
	clear?: null | [];
}

const DEADLINE = '2026-07-02T10:00:00+05:30';
const isOfStep = (pair: unknown) => Object(pair).step_id === 11;
const reassigned: Effect = (pairs) => {
	const others = pairs.filter((pair) => !isOfStep(pair));
	const place = pairs.some(isOfStep) ? pairs.findIndex(isOfStep) : others.length;
	return others.toSpliced(place, 0, assigned(11, 41));
};
const PARAMETERS: Record<string, Parameter> = {
	process: {
		...{ label: 'Process', key: 'process' },
		valid: { 4: () => '/processes/4/' },
		invalid: ['x', '0', '1.5'],
	},
	name: {
		...{ label: 'Name', key: 'name', clear: null },
		valid: { New: () => 'New', '[draft]': () => '[draft]' },
		invalid: ['x'.repeat(256), 'Re: [object Object]'],
	},
	deadline: {
		...{ label: 'Deadline', key: 'deadline', clear: null },
		valid: { [DEADLINE]: () => DEADLINE },
		invalid: ['tomorrow', '2026-02-30'],
	},
	priority: {
		...{ label: 'Priority', key: 'priority', clear: null },
		valid: { High: () => 'H', regular: () => null },
		invalid: ['urgent', '1'],
	},
	tags: {
		...{ label: 'Replace Tags', key: 'tags', clear: [] },
		valid: { 'b, c': () => ['b', 'c'], '["x"]': () => ['x'] },
		invalid: ['["a"', 'a; b'],
	},
	addTags: {
		...{ label: 'Add Tags', key: 'tags', isEdit: true },
		valid: { 'b, new': (tags) => [...tags, ...['b', 'new'].filter((tag) => !tags.includes(tag))] },
		invalid: ['a|b'],
	},
	removeTags: {
		...{ label: 'Remove Tags', key: 'tags', isEdit: true },
		valid: { 'a, gone': (tags) => tags.filter((tag) => tag !== 'a') },
		invalid: ["['a']"],
	},
	stepAssignments: {
		...{ label: 'Replace Step Assignments', key: 'step_assignments', clear: [] },
		valid: { '[{"step_id": 11, "user_id": 40}]': () => [assigned(11, 40)] },
		invalid: ['11: 40', '[{"step_id": 11}]'],
	},
	// The user in a row to reassign step 11.
	changeSteps: {
		...{ label: 'Change Step Assignments', key: 'step_assignments', isEdit: true },
		valid: { 41: reassigned },
		invalid: ['me', '0'],
	},
};
function parameterOf({ name }: { name: string }): Parameter {
	const parameter = PARAMETERS[name];
	if (parameter === undefined) throw new Error(`There is no parameter ${name}.`);
	return parameter;
}
const NAMES = Object.keys(PARAMETERS);
const CLEARABLE = NAMES.filter((name) => PARAMETERS[name]?.clear !== undefined);
const EMPTY: unknown[] = [null, '', ' \n', [], '[]', ['', null]];
const ITEMS = 3;

/** A parameter that is added: typed in, by a path into the item, or by another expression. */
const parameter = fc.constantFrom(...NAMES).chain((name) => {
	const { valid, invalid } = parameterOf({ name });
	const value = fc.oneof(
		{ weight: 6, arbitrary: fc.constantFrom<unknown>(...Object.keys(valid)) },
		fc.constantFrom<unknown>(...invalid),
		fc.constantFrom<unknown>(...EMPTY),
	);
	return fc.record({
		name: fc.constant(name),
		way: fc.constantFrom('typed', 'path', 'expression'),
		values: fc.array(value, { minLength: ITEMS, maxLength: ITEMS }),
	});
});
type Added = ValueOf<typeof parameter>;

/** The value of a parameter for an item. If it's typed in, it's text, and the same for all items. */
function valueAt({ way, values }: Added, item: number): unknown {
	const [first] = values;
	if (way !== 'typed') return values[item];
	return typeof first === 'string' && first !== '[]' ? first : '';
}

function storedOf(added: Added) {
	const { name, way } = added;
	const paths = { path: `={{ $json.${name} }}`, expression: `={{ ($json.${name}) }}` };
	const value = way === 'path' || way === 'expression' ? paths[way] : String(valueAt(added, 0));
	if (name === 'changeSteps') return rows(reassign('11', value));
	return name === 'process' ? { ...locator(value) } : value;
}

/** What the service has. Some of it breaks the contract. */
const PRESENT = {
	process: fc.constant('https://service.example/api/processes/3/'),
	name: fc.constantFrom('Old', ' padded ', null),
	deadline: fc.constantFrom(null, '2026-07-01T10:00:00.123456Z'),
	priority: fc.constantFrom(null, 'H'),
	tags: fc.constantFrom<unknown>([], ['a', 'b'], [' padded ', 'a', 'a'], null),
	step_assignments: fc.constantFrom<unknown>(
		[],
		[assigned(10, 40), assigned(11, 42), assigned(12, 40), assigned(11, 43)],
	),
};

const anUpdate = fc.record({
	parameters: fc.uniqueArray(parameter, { selector: ({ name }) => name, maxLength: 5 }),
	cleared: fc.oneof(
		{ weight: 4, arbitrary: fc.constant<string[]>([]) },
		fc.subarray(CLEARABLE),
		fc.constant(CLEARABLE),
	),
	emptyValues: fc.constantFrom('reject', 'keep', 'clear'),
	onError: fc.constantFrom<OnError>('stopWorkflow', 'continueErrorOutput'),
	instances: fc.array(
		fc.record({
			...PRESENT,
			odd: fc.constantFrom<object>(
				...Array<object>(9).fill({}),
				...[{ name: undefined }, { process: null }, { process: { id: 3 } }, { tags: 'a, b' }],
				...[{ tags: [1] }, { step_assignments: [{ step: 1 }] }, { deadline: undefined }],
				{ priority: {} },
			),
		}),
		{ minLength: ITEMS, maxLength: ITEMS },
	),
});
type Update = ValueOf<typeof anUpdate>;

/** A read value, ready to be sent back; undefined if it can't be. */
function sendable(key: string, value: unknown): unknown {
	const isList = key === 'tags' || key === 'step_assignments';
	if (value === null && key !== 'process') return isList ? [] : null;
	if (!isList) return typeof value === 'string' ? value : undefined;
	const isEntry = (entry: unknown) => typeof entry === 'string' || 'step_id' in Object(entry);
	return Array.isArray(value) && value.every(isEntry) ? value : undefined;
}

/** What a parameter does for an item: its effect, or whether the field is kept or the item refused. */
function effectOf(added: Added, item: number, emptyValues: string): Effect | 'kept' | 'refused' {
	const { valid, clear } = parameterOf(added);
	const value = valueAt(added, item);
	const effect = valid[String(value)];
	if (effect !== undefined) return effect;
	if (!EMPTY.includes(value) || added.way === 'typed' || emptyValues === 'reject') return 'refused';
	return emptyValues === 'clear' && clear !== undefined ? () => clear : 'kept';
}

/** What the contract says about an item: the words of a refusal, one of which is shown, or the body that is sent. */
function expectationOf(update: Update, instance: Instance, item: number) {
	const { parameters, cleared, emptyValues } = update;
	const unsent: string[] = [];
	const unreadable: string[] = [];
	const body: Instance = {};
	let [isRead, isChanged] = [false, false];
	for (const { key, label } of FIELDS) {
		const own = parameters.filter((added) => parameterOf(added).key === key);
		const labels = own.map((added) => `'${parameterOf(added).label}'`);
		const effects = own.map((added) => effectOf(added, item, emptyValues));
		effects.forEach((effect, at) => effect === 'refused' && unsent.push(labels[at] ?? ''));
		const set = own.filter((_, at) => typeof effects[at] === 'function');
		const isEdited = set.length > 0 && set.every((added) => parameterOf(added).isEdit);
		const clearing = cleared.filter((name) => PARAMETERS[name]?.key === key);
		if (set.length + clearing.length > 1 && (!isEdited || clearing.length > 0))
			unsent.push(...labels, `'${label}'`);
		const isKept = set.length + clearing.length === 0;
		isChanged ||= !isKept;
		isRead ||= isKept || isEdited;
		const present = sendable(key, instance[key]);
		if (present === undefined && (isKept || isEdited)) unreadable.push(`'${label}'`);
		const changes = effects.filter((effect) => typeof effect === 'function');
		const [name = ''] = clearing;
		body[key] = clearing.length > 0 ? PARAMETERS[name]?.clear : present;
		for (const change of changes) body[key] = change([body[key]].flat());
	}
	if (parameters.length + cleared.length === 0) unsent.push('There is nothing to update');
	if (unsent.length > 0) return { refusal: unsent, requests: '' };
	if (!isChanged) return { requests: 'GET' };
	if (unreadable.length > 0) return { refusal: unreadable, requests: 'GET' };
	return { body, requests: isRead ? 'GET PUT' : 'PUT' };
}

const start = useServer();

async function check(update: Update): Promise<void> {
	const { parameters, cleared, emptyValues, onError } = update;
	const instances = update.instances.map(
		({ odd, ...values }, at): Instance =>
			JSON.parse(JSON.stringify({ id: at + 1, ...values, ...odd })),
	);
	const present = new Map(instances.map((instance) => [Number(instance.id), instance]));
	const requests = instances.map((): string[] => []);
	const credentials = start(({ method, id, sent }) => {
		requests[id - 1]?.push(method);
		if (method === 'PUT')
			present.set(id, { ...present.get(id), priority: null, ...JSON.parse(sent) });
		return [200, JSON.stringify(present.get(id))];
	});
	const expected = instances.map((instance, at) => expectationOf(update, instance, at));
	const filledIn = parameters.filter(({ way }) => way !== 'typed');
	const running = runNode({
		parameters: {
			operation: 'update',
			instanceId: ID_OF_ITEM,
			updateFields: Object.fromEntries(parameters.map((added) => [added.name, storedOf(added)])),
			clearFields: cleared,
			options: { emptyValues },
			output: 'raw',
		},
		items: instances.map(({ id }, at): IDataObject => {
			const cells = filledIn.map(({ name, values }) => [name, values[at]]);
			return Object({ id, ...Object.fromEntries(cells) });
		}),
		onError,
		credentials,
	});
	const result = await running.catch(() => undefined);
	// n8n itself doesn't start a workflow in which typed values are invalid.
	if (result === undefined) return expect(expected.every(({ refusal }) => refusal)).toBe(true);
	const { outputs, error } = result;
	const checkRefusal = (words: string[] = [], message = '') => {
		const isOne = words.some((each) => message.includes(each));
		expect([words, message, isOne]).toEqual([words, message, true]);
	};

	if (onError === 'stopWorkflow' && expected.some(({ refusal }) => refusal)) {
		const isUnsent = expected.some(({ requests: none }) => none === '');
		if (isUnsent) expect(requests.flat()).toEqual([]);
		return checkRefusal(expected[Number(error?.itemIndex)]?.refusal, error?.message);
	}
	expect(error).toBeUndefined();
	expected.forEach(({ refusal, body, requests: expectedRequests }, at) => {
		const [done, failed = []] = outputs.map((list) =>
			list.filter((item) => inputsOf(item).includes(at)),
		);
		expect(requests[at]?.join(' ')).toBe(expectedRequests);
		if (refusal) {
			expect([done, failed.length]).toEqual([[], 1]);
			return checkRefusal(refusal, String(failed[0]?.json.error));
		}
		const after = { ...instances[at], ...body };
		const json = JSON.stringify(done?.map((item) => item.json)).replace(credentials.baseUrl, '');
		expect([JSON.parse(json), failed]).toEqual([[after], []]);
	});
}

test('Update: each field and each of its parameters is in the model', () => {
	const forms = FIELDS.flatMap(({ form, edits = [] }) => [form, ...edits.map((edit) => edit.form)]);
	expect(forms.map(({ name, displayName }) => [name, displayName]).sort()).toEqual(
		Object.entries(PARAMETERS)
			.map(([name, { label }]) => [name, label])
			.sort(),
	);
	expect(Object.keys(PRESENT).sort()).toEqual(FIELDS.map(({ key }) => key).sort());
});

test('Update does what the contract says', async () => {
	await fc.assert(fc.asyncProperty(anUpdate, check), settings(Number(process.env.CASES ?? 80)));
}, 36_000_000);
