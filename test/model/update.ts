import { id, plainId } from './ids';
import {
	EMPTY,
	INVALID,
	isBroken,
	isEmptyCell,
	type Meaning,
	only,
	orInvalid,
	parsed,
	same,
	trimmed,
	valuesOf,
} from './meaning';
import type { Instance } from './service';
import { sameTag, tags } from './tags';

/** What an item has for a parameter: typed in, or by an expression. */
export interface Given {
	value: unknown;
	isExpression: boolean;
}

/** A row of *Change Step Assignments*. */
export type Row = Partial<Record<'action' | 'stepId' | 'userId', Given>>;

/** The form of Update as one item fills it in. */
export interface Form {
	instanceId: unknown;
	updateFields: Partial<Record<Parameter, Given>>;
	changeSteps?: Row[];
	clearFields: unknown;
	emptyValues: 'reject' | 'keep' | 'clear';
}

const LABELS = {
	process: 'Process',
	name: 'Name',
	deadline: 'Deadline',
	priority: 'Priority',
	tags: 'Replace Tags',
	addTags: 'Add Tags',
	removeTags: 'Remove Tags',
	stepAssignments: 'Replace Step Assignments',
} as const;
export type Parameter = keyof typeof LABELS;
const ROWS = 'Change Step Assignments';
const CLEARED = 'Fields to Clear';

/** One of the outcomes that the contract allows, for a field: */
export type Outcome =
	/** the item is refused, and the message contains one of these; perhaps only after a read, which shows it */
	| { refused: string[]; isAfterRead?: boolean }
	/** the field stays as it is */
	| { kept: true }
	/** this is sent, or what fits as well */
	| { example: unknown; fits: (sent: unknown) => boolean; isRead?: boolean };
type Refusal = Extract<Outcome, { refused: string[] }>;
type Sent = Extract<Outcome, { example: unknown }>;

const refused = (...labels: string[]): Refusal => ({ refused: labels });
const afterRead = (...labels: string[]): Refusal => ({ refused: labels, isAfterRead: true });
const ABSENT: Given = { value: undefined, isExpression: false };
const KEPT: Outcome = { kept: true };
const sent = (example: unknown, fits = (value: unknown) => same(value, example)): Sent => ({
	example,
	fits,
});
export const isRefusal = (outcome: Outcome): outcome is Refusal => 'refused' in outcome;
export const isSent = (outcome: Outcome): outcome is Sent => 'example' in outcome;

function nameOf(value: unknown): Meaning<string> {
	if (typeof value === 'number' || typeof value === 'boolean') return orInvalid(only(`${value}`));
	if (typeof value !== 'string' || isBroken(value)) return INVALID;
	// Said is *blank*: whether what only looks so is blank is not.
	if (trimmed(value) === '') return [...EMPTY, ...only(value, value.trim()), ...INVALID];
	if ([...value.trim()].length > 255) return INVALID;
	return orInvalid(only(value, value.trim()), value.length > 255);
}

/**
 * A moment with an offset, or in seconds or milliseconds since 1970, in the years 2000 to 2100. The other
 * forms are in test/engine/expressions.test.ts.
 */
function momentOf(value: unknown): Meaning<number> {
	const text = typeof value === 'string' ? trimmed(value) : '';
	const isIso = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text);
	const number = typeof value === 'number' ? value : Number(text);
	const moments = isIso ? [Date.parse(text)] : [number * 1000, number];
	const moment = moments.find((time) => time >= Date.UTC(2000, 0) && time < Date.UTC(2101, 0));
	if (moment === undefined) return INVALID;
	return orInvalid(only(moment), !isIso && !Number.isInteger(value));
}

/** Whether what was sent is ISO 8601 with an offset, at the moment, to the millisecond. */
function isMoment(value: unknown, moment: unknown): boolean {
	const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
	if (typeof value !== 'string' || !pattern.test(value)) return false;
	return Math.abs(Date.parse(value) - Number(moment)) <= 1;
}

const PRIORITIES = { regular: undefined, h: 'H', high: 'H', v: 'V', 'very high': 'V' };

function priorityOf(value: unknown): Meaning<string | undefined> {
	const key = typeof value === 'string' ? trimmed(value).toLowerCase() : '';
	const found = Object.entries(PRIORITIES).find(([name]) => name === key);
	return found ? only(found[1]) : INVALID;
}

export interface Pair {
	step_id: number;
	user_id: number;
}

/** An entry of a list of assignments, read or given: `{ step_id, user_id }`, both of them IDs. */
function pairOf(entry: unknown): Pair | undefined {
	const [step_id] = valuesOf(plainId(Object(entry).step_id));
	const [user_id] = valuesOf(plainId(Object(entry).user_id));
	return step_id !== undefined && user_id !== undefined ? { step_id, user_id } : undefined;
}

function pairsOf(value: unknown): Meaning<Pair[]> {
	const list = typeof value === 'string' ? parsed(value) : value;
	const entries: unknown[] = Array.isArray(list) ? list : [list];
	const pairs = entries.map(pairOf).filter((pair) => pair !== undefined);
	if (pairs.length < entries.length) return INVALID;
	const distinct = pairs.filter((pair, at) => pairs.findIndex((other) => same(other, pair)) === at);
	const isRounded = typeof value === 'string' && /\d{16}|\d[.eE]/.test(value);
	return orInvalid(only(pairs, distinct), isRounded || !Array.isArray(list));
}

const spelled = (list: unknown) => (Array.isArray(list) ? list.map(sameTag) : list);
export const areTags = (value: unknown, example: unknown) => same(spelled(value), spelled(example));

/** What the value of a parameter means, and whether what was sent is that. */
const READINGS: Record<
	Parameter,
	[
		read: (value: unknown, baseUrl: string) => Meaning<unknown>,
		fits?: (value: unknown, example: unknown) => boolean,
	]
> = {
	process: [
		(value, baseUrl) =>
			id(value, 'processes', baseUrl).map((one) =>
				typeof one === 'object' ? { value: `${baseUrl}/processes/${one.value}/` } : one,
			),
	],
	name: [nameOf],
	deadline: [momentOf, isMoment],
	priority: [priorityOf],
	tags: [tags, areTags],
	addTags: [tags, areTags],
	removeTags: [tags, areTags],
	stepAssignments: [pairsOf],
};

/** What clears a field. */
const CLEAR: Partial<Record<string, unknown>> = {
	name: null,
	deadline: null,
	priority: null,
	tags: [],
	stepAssignments: [],
};

/** What an empty value does. Nothing empty clears a field by itself. */
function ofEmpty(parameter: Parameter, { isExpression }: Given, form: Form): Outcome[] {
	const label = LABELS[parameter];
	if (!isExpression) return [refused(label), KEPT];
	if (form.emptyValues === 'keep') return [KEPT];
	if (form.emptyValues === 'reject') return [refused(label, 'Empty Values')];
	return parameter in CLEAR ? [sent(CLEAR[parameter])] : [KEPT, refused(label, 'Empty Values')];
}

const LISTS: Parameter[] = ['tags', 'addTags', 'removeTags', 'stepAssignments'];

/** What a parameter under *Fields to Update* may come to; undefined where it was not added. */
function outcomesOf(parameter: Parameter, form: Form, baseUrl: string): Outcome[] | undefined {
	const given = form.updateFields[parameter];
	if (given === undefined) return undefined;
	const { value, isExpression } = given;
	// Typed in, brackets are text, but for a list.
	const isText = !isExpression && !LISTS.includes(parameter) && trimmed(String(value)) !== '';
	const [read, fits = same] = READINGS[parameter];
	const isEmpty = isEmptyCell(value) && !isText;
	const meaning = isEmpty ? EMPTY : orInvalid(read(value, baseUrl), isEmptyCell(value));
	return meaning.flatMap((one) => {
		if (one === 'empty') return ofEmpty(parameter, given, form);
		if (one === 'invalid') return [refused(LABELS[parameter])];
		return [sent(one.value, (value) => fits(value, one.value))];
	});
}

/** Each way to take one of each. */
const combined = <T>(lists: T[][]): T[][] =>
	lists.reduce<T[][]>(
		(done, list) => done.flatMap((some) => list.map((one) => [...some, one])),
		[[]],
	);

/** What a field comes to of which at most one of several things may be set. */
function oneOf(labels: string[], ...sources: Array<Outcome[] | undefined>): Outcome[] {
	const added = sources.filter((source) => source !== undefined);
	const conflict = refused(...labels);
	const outcomes = combined(added).flatMap((some): Outcome[] => {
		const refusals = some.filter(isRefusal);
		if (refusals.length > 0) return refusals;
		const set = some.filter(isSent);
		if (set.length > 1) return [conflict];
		return set.length === 1 ? set : [KEPT];
	});
	// Whether a parameter that is there and says nothing counts as set is not said.
	return added.length > 1 ? [...outcomes, conflict] : outcomes;
}

const isTagList = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((tag) => typeof tag === 'string');

/** What remains of the present tags, and the new ones behind them. */
function changedTags(form: Form, baseUrl: string, present: unknown): Outcome[] | undefined {
	const labels = ['Tags', LABELS.tags, LABELS.addTags, LABELS.removeTags];
	const changes = (['addTags', 'removeTags'] as const).map((name) =>
		outcomesOf(name, form, baseUrl),
	);
	if (changes.every((outcomes) => outcomes === undefined)) return undefined;
	return combined(changes.map((outcomes = [KEPT]) => outcomes)).flatMap((pair): Outcome[] => {
		const refusals = pair.filter(isRefusal);
		if (refusals.length > 0) return refusals;
		if (!pair.some(isSent)) return [KEPT];
		const [add = [], remove = []] = pair.map((one) =>
			isSent(one) && isTagList(one.example) ? one.example : [],
		);
		const old = present ?? [];
		if (present === undefined || !isTagList(old)) return [afterRead(...labels)];
		const removed = remove.map(sameTag);
		const remaining = old.filter((tag) => !removed.includes(sameTag(tag)));
		const others = [...remaining.map(sameTag), ...removed];
		const added = add.filter((tag) => !others.includes(sameTag(tag)));
		const fits = (value: unknown) =>
			Array.isArray(value) &&
			same(value.slice(0, remaining.length), remaining) &&
			areTags(value.slice(remaining.length), added);
		const isContradiction = add.some((tag) => removed.includes(sameTag(tag)));
		return [
			{ ...sent([...remaining, ...added], fits), isRead: true },
			...(isContradiction ? [refused(...labels)] : []),
			...(present === null ? [afterRead(...labels)] : []),
		];
	});
}

interface Change {
	action: string;
	step: number;
	user?: number;
}

/** What a row says, or nothing; a user that an expression does not find never means all users. */
function changesOfRow(
	{ action = ABSENT, stepId = ABSENT, userId }: Row,
	form: Form,
): Array<Change | Refusal | 'none'> {
	const invalid = (label: string) => refused(label, ROWS);
	const [step, user] = [plainId(stepId.value), plainId((userId ?? ABSENT).value)];
	const emptied = form.emptyValues === 'reject' ? refused('Empty Values') : ('none' as const);
	if (isEmptyCell(action.value)) return [invalid('Action'), emptied];
	const isStepEmptied = step.includes('empty') && stepId.isExpression;
	const isUserEmptied = user.includes('empty') && userId?.isExpression;
	// What comes first is not said.
	const perhapsEmptied = isStepEmptied || isUserEmptied ? [emptied] : [];
	if (!['reassign', 'add', 'remove'].includes(String(action.value)))
		return [invalid('Action'), ...perhapsEmptied];
	if (step.includes('empty')) return [invalid('Step'), ...perhapsEmptied];
	if (isUserEmptied) return [invalid('User'), emptied];
	const isOfAll = user.includes('empty') && action.value === 'remove';
	const users = isOfAll ? [undefined] : valuesOf(user);
	return [
		...valuesOf(step).flatMap((one) =>
			users.map((other) => ({ action: String(action.value), step: one, user: other })),
		),
		...(step.includes('invalid') ? [invalid('Step')] : []),
		...(user.includes('invalid') || users.length === 0 ? [invalid('User')] : []),
	];
}

/** `yes` where rows speak against each other by the contract, `perhaps` where it does not say. */
function contradiction(changes: Change[]): 'yes' | 'no' | 'perhaps' {
	const clashes = changes.flatMap((one, at) =>
		changes.slice(at + 1).map((other) => {
			const actions = [one.action, other.action].sort().join();
			if (one.step !== other.step) return 'no';
			if (actions === 'reassign,reassign' && one.user === other.user) return 'perhaps';
			if (actions.includes('reassign')) return 'yes';
			return actions === 'add,remove' ? 'perhaps' : 'no';
		}),
	);
	return (['yes', 'perhaps'] as const).find((clash) => clashes.includes(clash)) ?? 'no';
}

const applied = (changes: Change[], present: Pair[]): Pair[] =>
	changes.reduce((pairs, { action, step, user }) => {
		const isMeant = (pair: Pair) =>
			pair.step_id === step && (user === undefined || pair.user_id === user);
		if (action === 'remove') return pairs.filter((pair) => !isMeant(pair));
		const pair = { step_id: step, user_id: Number(user) };
		if (action === 'add') return pairs.some(isMeant) ? pairs : [...pairs, pair];
		const place = pairs.findIndex(({ step_id }) => step_id === step);
		const others = pairs.filter(({ step_id }) => step_id !== step);
		return others.toSpliced(place < 0 ? others.length : place, 0, pair);
	}, present);

/** The IDs in lists whose key names steps or tasks, of objects with a whole-number ID and a name. */
function stepsIn(value: unknown, key = ''): number[] {
	if (typeof value !== 'object' || value === null) return [];
	const own = Array.isArray(value) && /step|task/i.test(key) ? value : [];
	const steps = own.filter(
		(entry) =>
			Number.isInteger(Object(entry).id) &&
			['name', 'title', 'label'].some((name) => typeof Object(entry)[name] === 'string'),
	);
	return [
		...steps.map((step) => Number(step.id)),
		...Object.entries(value).flatMap(([name, inner]) =>
			stepsIn(inner, Array.isArray(value) ? '' : name),
		),
	];
}

/** Whether a step is none of the instance, which shows only where the snapshot is sure to list all. */
function isStranger(step: number, present: Instance, pairs: Pair[]): 'yes' | 'no' | 'perhaps' {
	const { process_snapshot: snapshot, active_step_ids } = present;
	const steps = stepsIn(typeof snapshot === 'string' ? parsed(snapshot) : snapshot);
	const active: unknown[] = Array.isArray(active_step_ids) ? active_step_ids : [];
	const needed = [...active, ...pairs.map(({ step_id }) => step_id)];
	const isSure = steps.length > 0 && needed.every((one) => steps.includes(Number(one)));
	if (steps.includes(step) || needed.includes(step) || !isSure) return 'no';
	return active.length > 0 ? 'yes' : 'perhaps';
}

function outcomesOfRows(rows: Row[], form: Form, present: Instance): Outcome[] {
	if (rows.length === 0) return [refused(ROWS), KEPT];
	const { step_assignments: entries } = present;
	const list = (entries === null ? [] : [entries].flat()).map(pairOf);
	const pairs = list.filter((pair) => pair !== undefined);
	return combined(rows.map((row) => changesOfRow(row, form))).flatMap((all): Outcome[] => {
		const said = all.filter((one) => one !== 'none');
		const refusals = said.filter((one) => 'refused' in one);
		if (refusals.length > 0) return refusals;
		const changes = said.filter((one) => 'step' in one);
		const clash = contradiction(changes);
		if (clash === 'yes') return [refused(ROWS, 'Step', 'User', 'Action')];
		if (changes.length === 0) return [KEPT];
		const unreadable = afterRead('Step Assignments', ROWS, LABELS.stepAssignments);
		if (pairs.length < list.length) return [unreadable];
		const others = changes.filter(({ action }) => action !== 'remove');
		const strangers = changes.map(({ step, action }) => {
			const stranger = isStranger(step, present, pairs);
			// Another process has other steps.
			const isPerhaps = action === 'remove' || form.updateFields.process !== undefined;
			return stranger === 'yes' && isPerhaps ? 'perhaps' : stranger;
		});
		const ofNull = entries === null ? [unreadable] : [];
		if (strangers.includes('yes')) return [afterRead('Step', ROWS), ...ofNull];
		const isAdding = changes.some(({ action }) => action === 'add');
		// Adding to a step and removing from it: in which order is not said, nor where an added user stands.
		const removals = changes.filter(({ action }) => action === 'remove');
		const lists = [applied(changes, pairs), applied([...removals, ...others], pairs)];
		const sorted = (value: unknown) =>
			isAdding && Array.isArray(value) ? value.map((pair) => JSON.stringify(pair)).sort() : value;
		const fits = (value: unknown) => lists.some((each) => same(sorted(value), sorted(each)));
		const isPerhaps = clash === 'perhaps' || changes.length < rows.length;
		return [
			{ ...sent(lists[0], fits), isRead: true },
			...(isPerhaps ? [refused(ROWS, 'Step', 'User')] : []),
			...(strangers.includes('perhaps') ? [afterRead('Step', ROWS)] : []),
			...ofNull,
		];
	});
}

export type Field = 'process' | 'name' | 'deadline' | 'priority' | 'tags' | 'step_assignments';
export const FIELDS: Field[] = [
	'process',
	'name',
	'deadline',
	'priority',
	'tags',
	'step_assignments',
];

/** Whether a service sends such a value for a field as a rule. */
const isOrdinary = (field: Field, value: unknown) => {
	if (field === 'tags') return isTagList(value);
	if (field === 'priority') return value === null || value === 'H' || value === 'V';
	return typeof value === 'string' || value === null;
};

/** What Keep may send for what was read: the same, or nothing is sent at all. */
export function ofKept(field: Field, { [field]: value }: Instance): Outcome[] {
	const refusal = {
		...{ process: afterRead('Process'), name: afterRead('Name'), deadline: afterRead('Deadline') },
		...{ priority: afterRead('Priority'), tags: afterRead('Tags', LABELS.tags) },
		step_assignments: afterRead('Step Assignments', LABELS.stepAssignments),
	}[field];
	if (value === undefined || (field === 'process' && typeof value !== 'string')) return [refusal];
	if (value === null && (field === 'tags' || field === 'step_assignments'))
		return [refusal, sent([])];
	if (field === 'step_assignments') {
		const pairs = (Array.isArray(value) ? value : [undefined]).map(pairOf);
		return pairs.includes(undefined) ? [refusal] : [sent(pairs)];
	}
	if (field === 'priority' && value === null) return [sent(null), sent(undefined)];
	return isOrdinary(field, value) ? [sent(value)] : [refusal, sent(value)];
}

const CLEARABLE = Object.keys(CLEAR);

/** What each field of an instance comes to; `item` has, for each reason, what the item as a whole may come to. */
export interface Prediction {
	item: Outcome[][];
	fields: Record<Field, Outcome[]>;
}

/** What the contract allows an item to come to, when the read shows the instance like this. */
export function predict(form: Form, baseUrl: string, present: Instance): Prediction {
	const isNone = isEmptyCell(form.clearFields);
	const cleared = isNone ? [] : [form.clearFields].flat();
	const outcomes = (name: Parameter) => outcomesOf(name, form, baseUrl);
	const clear = (name: string) => (cleared.includes(name) ? [sent(CLEAR[name])] : undefined);
	const simple = (name: 'name' | 'deadline' | 'priority') =>
		oneOf([LABELS[name], CLEARED], outcomes(name), clear(name));
	const isAdded = form.changeSteps !== undefined || Object.keys(form.updateFields).length > 0;
	return {
		item: [
			valuesOf(id(form.instanceId, 'instances', baseUrl)).length > 0
				? [KEPT]
				: [refused('Instance')],
			cleared.every((name) => CLEARABLE.includes(String(name))) ? [KEPT] : [refused(CLEARED)],
			// Silent: an expression that lists nothing to clear.
			isNone ? [KEPT, refused(CLEARED)] : [KEPT],
			isAdded || cleared.length > 0 ? [KEPT] : [KEPT, refused('nothing to update')],
		],
		fields: {
			process: oneOf([LABELS.process], outcomes('process')),
			name: simple('name'),
			deadline: simple('deadline'),
			priority: simple('priority'),
			tags: oneOf(
				[LABELS.tags, LABELS.addTags, LABELS.removeTags, CLEARED],
				outcomes('tags'),
				changedTags(form, baseUrl, present.tags),
				clear('tags'),
			),
			step_assignments: oneOf(
				[ROWS, LABELS.stepAssignments, CLEARED],
				outcomes('stepAssignments'),
				form.changeSteps && outcomesOfRows(form.changeSteps, form, present),
				clear('stepAssignments'),
			),
		},
	};
}
