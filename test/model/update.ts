import { deadline, isMoment } from './deadline';
import { id, plainId } from './ids';
import {
	either,
	EMPTY,
	INVALID,
	isBroken,
	isEmptyCell,
	type Meaning,
	only,
	parsed,
	perhaps,
	trimmed,
} from './meaning';
import { sameTag, tags } from './tags';

/** What an item has for a parameter: typed in, or by an expression. */
export interface Given {
	value: unknown;
	isExpression: boolean;
}

/** A row of *Change Step Assignments*. */
export interface Row {
	action: Given;
	stepId: Given;
	userId?: Given;
}

/** The form of Update as one item fills it in. */
export interface Form {
	instanceId: Given;
	updateFields: Partial<Record<Parameter, Given>>;
	changeSteps?: Row[];
	clearFields: unknown;
	emptyValues: 'reject' | 'keep' | 'clear';
	isTool: boolean;
	isDryRun: unknown;
}

export interface Surroundings {
	baseUrl: string;
	timezone: string;
}

export const FIELDS = [
	'process',
	'name',
	'deadline',
	'priority',
	'tags',
	'step_assignments',
] as const;
export type Field = (typeof FIELDS)[number];

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

export interface Pair {
	step_id: number;
	user_id: number;
}

/** One of the outcomes that the contract allows, for a field: */
export type Outcome =
	/** the item is refused, and the message names one of these; `read` is true where only a read shows it */
	| { refused: string[]; isAfterRead?: boolean }
	/** the field stays as it is */
	| { kept: true }
	/** this is sent, or the key is absent where that says the same */
	| { fits: (sent: unknown) => boolean; example: unknown; isRead?: boolean };

const refused = (...labels: string[]): Outcome => ({ refused: labels });
const afterRead = (...labels: string[]): Outcome => ({ refused: labels, isAfterRead: true });
const KEPT: Outcome = { kept: true };
const sent = (example: unknown, fits = (value: unknown) => same(value, example)): Outcome => ({
	fits,
	example,
});

export const same = (one: unknown, other: unknown): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** The words by which the model of an agent says that it gives nothing. */
const isWordForNothing = (value: unknown) =>
	typeof value === 'string' && /^(null|undefined|none|n\/a)$/i.test(trimmed(value));

function nameOf(value: unknown): Meaning<string> {
	if (typeof value === 'number' || typeof value === 'boolean') return perhaps(`${value}`);
	if (typeof value !== 'string' || isBroken(value)) return INVALID;
	const characters = [...value].length;
	// Said is *blank*: whether what only looks so is blank is not.
	if (trimmed(value) === '') return either(EMPTY, perhaps(value), only(value.trim()));
	if ([...value.trim()].length > 255) return INVALID;
	const names = { values: [value, value.trim()] };
	return characters > 255 || value.length > 255 ? either(names, INVALID) : names;
}

const PRIORITIES = new Map([
	['regular', undefined],
	['h', 'H'],
	['high', 'H'],
	['v', 'V'],
	['very high', 'V'],
]);

function priorityOf(value: unknown): Meaning<string | undefined> {
	if (typeof value !== 'string') return INVALID;
	const key = trimmed(value).toLowerCase();
	return PRIORITIES.has(key) ? only(PRIORITIES.get(key)) : INVALID;
}

/** An entry of a list of assignments, read or given: `{ step_id, user_id }`, both of them ids. */
export function pairOf(entry: unknown): Pair | undefined {
	const [step] = plainId(Reflect.get(Object(entry), 'step_id')).values;
	const [user] = plainId(Reflect.get(Object(entry), 'user_id')).values;
	return step !== undefined && user !== undefined ? { step_id: step, user_id: user } : undefined;
}

function pairsOf(value: unknown): Meaning<Pair[]> {
	const list = typeof value === 'string' ? parsed(value) : value;
	const isRounded = typeof value === 'string' && /\d{16}|\d[.eE]/.test(value);
	const entries: unknown[] = Array.isArray(list) ? list : [list];
	const pairs = entries.map(pairOf).filter((pair) => pair !== undefined);
	if (pairs.length < entries.length) return INVALID;
	const distinct = pairs.filter((pair, at) => pairs.findIndex((other) => same(other, pair)) === at);
	const meaning = { values: [pairs, distinct] };
	return Array.isArray(list) && !isRounded ? meaning : either(meaning, INVALID);
}

/** The parameters of which an empty value may clear something, and what is sent then. */
const CLEAR: Partial<Record<string, { field: Field; empty: unknown }>> = {
	name: { field: 'name', empty: null },
	deadline: { field: 'deadline', empty: null },
	priority: { field: 'priority', empty: null },
	tags: { field: 'tags', empty: [] },
	stepAssignments: { field: 'step_assignments', empty: [] },
};

/** What an empty value does: DESIGN, `options.emptyValues` and the tool. */
function ofEmpty(parameter: Parameter, { isExpression }: Given, form: Form): Outcome[] {
	const label = LABELS[parameter];
	// Nothing empty clears a field by itself.
	if (!isExpression) return [refused(label), KEPT];
	if (form.isTool || form.emptyValues === 'keep') return [KEPT];
	if (form.emptyValues === 'reject') return [refused(label, 'Empty Values')];
	const clear = CLEAR[parameter];
	return clear ? [sent(clear.empty)] : [KEPT, refused(label, 'Empty Values')];
}

const LISTS: Parameter[] = ['tags', 'addTags', 'removeTags', 'stepAssignments'];

/** What a parameter under *Fields to Update* may come to, as far as it needs no read. */
function outcomesOf(
	parameter: Parameter,
	form: Form,
	where: Surroundings,
): Array<Outcome & { value?: unknown }> {
	const given = form.updateFields[parameter];
	if (given === undefined) return [KEPT];
	const { value } = given;
	const isNothing = form.isTool && given.isExpression && isWordForNothing(value);
	// Typed in, brackets are text, but for a list.
	const isText = !given.isExpression && !LISTS.includes(parameter) && trimmed(String(value)) !== '';
	const isEmpty = isNothing || (isEmptyCell(value) && !isText);
	const said: Meaning<unknown> = isEmpty ? EMPTY : meaningOf(parameter, value, where);
	const meaning = isText && isEmptyCell(value) ? either(said, INVALID) : said;
	return [
		...meaning.values.map((example) => ({
			...sent(example, fitOf(parameter, example)),
			value: example,
		})),
		...(meaning.isRefused ? [refused(LABELS[parameter])] : []),
		...(meaning.isEmpty ? ofEmpty(parameter, given, form) : []),
	];
}

function meaningOf(
	parameter: Parameter,
	value: unknown,
	{ baseUrl, timezone }: Surroundings,
): Meaning<unknown> {
	if (parameter === 'process') {
		const process = id(value, 'processes', baseUrl);
		return {
			...process,
			values: process.values.map((number) => `${baseUrl}/processes/${number}/`),
		};
	}
	if (parameter === 'name') return nameOf(value);
	if (parameter === 'deadline') return deadline(value, timezone);
	if (parameter === 'priority') return priorityOf(value);
	return parameter === 'stepAssignments' ? pairsOf(value) : tags(value);
}

function fitOf(parameter: Parameter, example: unknown): (value: unknown) => boolean {
	if (parameter === 'deadline') return (value) => isMoment(value, Number(example));
	if (!parameter.toLowerCase().includes('tags')) return (value) => same(value, example);
	return (value) => same(spelled(value), spelled(example));
}

const spelled = (list: unknown) =>
	Array.isArray(list) ? list.map((tag) => trimmed(String(tag)).normalize('NFC')) : list;

/** What Keep may send for what was read: the same, or nothing is sent at all. */
export function ofKept(field: Field, present: Record<string, unknown>): Outcome[] {
	const labels = [
		LABELS[field === 'step_assignments' ? 'stepAssignments' : field],
		{ tags: 'Tags', step_assignments: 'Step Assignments' }[String(field)] ?? '',
	].filter(Boolean);
	const value = present[field];
	const refusal = afterRead(...labels);
	if (value === undefined) return [refusal];
	if (field === 'step_assignments') {
		const entries: unknown[] = Array.isArray(value) ? value : [undefined];
		const pairs = entries.map(pairOf);
		if (value === null) return [refusal, sent([])];
		return pairs.includes(undefined) ? [refusal] : [sent(pairs)];
	}
	if (field === 'tags') {
		const isList = Array.isArray(value) && value.every((tag) => typeof tag === 'string');
		return isList ? [sent(value)] : [refusal, ...(value === null ? [sent([])] : [sent(value)])];
	}
	if (field === 'process') return typeof value === 'string' ? [sent(value)] : [refusal];
	if (field === 'priority') {
		if (value === null) return [sent(null), sent(undefined)];
		return value === 'H' || value === 'V' ? [sent(value)] : [refusal, sent(value), sent(undefined)];
	}
	return value === null || typeof value === 'string' ? [sent(value)] : [refusal, sent(value)];
}

/** Each way to take one of each. */
function combined<T>(lists: T[][]): T[][] {
	return lists.reduce<T[][]>(
		(done, list) => done.flatMap((some) => list.map((one) => [...some, one])),
		[[]],
	);
}

const isSet = (outcome: Outcome): outcome is Extract<Outcome, { example: unknown }> =>
	'example' in outcome;
export const isRefusal = (outcome: Outcome): outcome is Extract<Outcome, { refused: string[] }> =>
	'refused' in outcome;

/** What remains of the present tags, and the new ones behind them. */
function changedTags(present: unknown, add: string[], remove: string[]): Outcome[] {
	const labels = ['Tags', LABELS.tags, LABELS.addTags, LABELS.removeTags];
	if (!Array.isArray(present) || !present.every((tag) => typeof tag === 'string')) {
		return present === null
			? [afterRead(...labels), { ...sent(add), isRead: true }]
			: [afterRead(...labels)];
	}
	const removed = new Set(remove.map(sameTag));
	const remaining = present.filter((tag) => !removed.has(sameTag(tag)));
	const old = new Set(remaining.map(sameTag));
	const added = add.filter((tag) => !old.has(sameTag(tag)) && !removed.has(sameTag(tag)));
	const fits = (value: unknown) =>
		Array.isArray(value) &&
		same(value.slice(0, remaining.length), remaining) &&
		same(spelled(value.slice(remaining.length)), spelled(added));
	const isContradiction = add.some((tag) => removed.has(sameTag(tag)));
	return [
		{ ...sent([...remaining, ...added], fits), isRead: true },
		...(isContradiction ? [refused(...labels)] : []),
	];
}

function outcomesOfTags(
	form: Form,
	where: Surroundings,
	present: unknown,
	isCleared: boolean,
): Outcome[] {
	const names = ['tags', 'addTags', 'removeTags'] as const;
	const conflict = refused(...names.map((name) => LABELS[name]), CLEARED);
	const parts = names.map((name) => outcomesOf(name, form, where));
	const outcomes = combined(parts).flatMap(([replace = KEPT, add = KEPT, remove = KEPT]) => {
		const refusals = [replace, add, remove].filter(isRefusal);
		if (refusals.length > 0) return refusals;
		const isChanged = isSet(add) || isSet(remove);
		if (isSet(replace)) return [isChanged || isCleared ? conflict : replace];
		if (!isChanged) return [isCleared ? sent([]) : KEPT];
		if (isCleared) return [conflict];
		return changedTags(
			present,
			isSet(add) ? listOf(add.example) : [],
			isSet(remove) ? listOf(remove.example) : [],
		);
	});
	// Whether a parameter that is there and says nothing counts as set is not said.
	const isBeside = names.filter((name) => form.updateFields[name]).length + Number(isCleared) > 1;
	return isBeside && !(form.updateFields.tags === undefined && !isCleared)
		? [...outcomes, conflict]
		: outcomes;
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

interface Change {
	action: string;
	step: number;
	user?: number;
}
type RowOutcome = Change | 'dropped' | Extract<Outcome, { refused: string[] }>;

/** What a row says; a user that an expression does not find never means all users. */
function outcomesOfRow({ action, stepId, userId }: Row, form: Form): RowOutcome[] {
	const invalid = (label: string): RowOutcome => ({ refused: [label, ROWS] });
	const ids = [stepId, userId ?? { value: undefined, isExpression: false }];
	const [step = EMPTY, user = EMPTY] = ids.map(({ value, isExpression }) =>
		form.isTool && isExpression && isWordForNothing(value) ? EMPTY : plainId(value),
	);
	const emptied: RowOutcome[] =
		form.isTool || form.emptyValues !== 'reject' ? ['dropped'] : [{ refused: ['Empty Values'] }];
	if (
		action.isExpression &&
		(isEmptyCell(action.value) || (form.isTool && isWordForNothing(action.value)))
	)
		return [invalid('Action'), ...emptied];
	if (!['reassign', 'add', 'remove'].includes(String(action.value))) return [invalid('Action')];
	if (step.isEmpty) return [invalid('Step'), ...(stepId.isExpression ? emptied : [])];
	if (user.isEmpty && userId?.isExpression) return [invalid('User'), ...emptied];
	const users = user.isEmpty && action.value === 'remove' ? [undefined] : user.values;
	return [
		...step.values.flatMap((one) =>
			users.map((other) => ({ action: String(action.value), step: one, user: other })),
		),
		...(step.isRefused ? [invalid('Step')] : []),
		...(user.isRefused || users.length === 0 ? [invalid('User')] : []),
	];
}

/** `yes` where rows speak against each other by the contract, `perhaps` where it does not say. */
function contradiction(changes: Change[]): 'yes' | 'no' | 'perhaps' {
	const clashes = changes.flatMap((one, at) =>
		changes
			.slice(at + 1)
			.filter(({ step }) => step === one.step)
			.map((other) => {
				const actions = [one.action, other.action].sort().join();
				if (actions === 'reassign,reassign') return one.user === other.user ? 'perhaps' : 'yes';
				if (actions.includes('reassign')) return 'yes';
				return actions === 'add,remove' ? 'perhaps' : 'no';
			}),
	);
	return clashes.includes('yes') ? 'yes' : clashes.includes('perhaps') ? 'perhaps' : 'no';
}

function applied(changes: Change[], present: Pair[]): Pair[] {
	return changes.reduce((pairs, { action, step, user }) => {
		const isMeant = (pair: Pair) =>
			pair.step_id === step && (user === undefined || pair.user_id === user);
		if (action === 'remove') return pairs.filter((pair) => !isMeant(pair));
		const pair = { step_id: step, user_id: user ?? 0 };
		if (action === 'add') return pairs.some(isMeant) ? pairs : [...pairs, pair];
		const first = pairs.findIndex(({ step_id }) => step_id === step);
		const at = first < 0 ? pairs.length : first;
		return [
			...pairs.slice(0, at),
			pair,
			...pairs.slice(at).filter(({ step_id }) => step_id !== step),
		];
	}, present);
}

/** The ids in lists whose key names steps or tasks, of objects with a whole-number id and a name. */
function stepsIn(value: unknown, key = ''): number[] {
	if (typeof value !== 'object' || value === null) return [];
	const isStep = (entry: unknown) =>
		Number.isInteger(Reflect.get(Object(entry), 'id')) &&
		['name', 'title', 'label'].some((name) => typeof Reflect.get(Object(entry), name) === 'string');
	const own =
		Array.isArray(value) && /step|task/i.test(key)
			? value.filter(isStep).map(({ id: number }) => Number(number))
			: [];
	return [
		...own,
		...Object.entries(value).flatMap(([name, inner]) =>
			stepsIn(inner, Array.isArray(value) ? '' : name),
		),
	];
}

/** Whether a step is one of the instance: `unknown` where the snapshot is not sure to list them all. */
function isInInstance(
	step: number,
	present: Record<string, unknown>,
	pairs: Pair[],
): boolean | 'unknown' | 'perhaps' {
	const { process_snapshot: snapshot, active_step_ids: active } = present;
	const steps = stepsIn(typeof snapshot === 'string' ? parsed(snapshot) : snapshot);
	const needed = [...(Array.isArray(active) ? active : []), ...pairs.map(({ step_id }) => step_id)];
	if (steps.includes(step) || needed.includes(step)) return true;
	if (steps.length === 0 || !needed.every((one) => steps.includes(Number(one)))) return 'unknown';
	return Array.isArray(active) && active.length > 0 ? false : 'perhaps';
}

function outcomesOfRows(rows: Row[], form: Form, present: Record<string, unknown>): Outcome[] {
	if (rows.length === 0) return [refused(ROWS), KEPT];
	const entries: unknown[] = Array.isArray(present.step_assignments)
		? present.step_assignments
		: [undefined];
	const pairs = entries.map(pairOf).filter((pair) => pair !== undefined);
	return combined(rows.map((row) => outcomesOfRow(row, form))).flatMap((outcomes): Outcome[] => {
		const refusals = outcomes.filter(
			(outcome) => typeof outcome === 'object' && 'refused' in outcome,
		);
		if (refusals.length > 0) return refusals;
		const changes = outcomes.filter((outcome) => typeof outcome === 'object' && 'step' in outcome);
		const clash = contradiction(changes);
		if (clash === 'yes') return [refused(ROWS, 'Step', 'User', 'Action')];
		if (changes.length === 0) return [KEPT];
		const unreadable = afterRead('Step Assignments', ROWS, LABELS.stepAssignments);
		if (present.step_assignments === null)
			return [unreadable, { ...sent(applied(changes, [])), isRead: true }];
		if (pairs.length < entries.length) return [unreadable];
		const places = changes.map(({ step, action }) => ({
			action,
			place: isInInstance(step, present, pairs),
		}));
		const stranger = afterRead('Step', ROWS);
		if (places.some(({ place, action }) => place === false && action !== 'remove'))
			return [stranger];
		const isPerhaps = clash === 'perhaps' || changes.length < rows.length;
		const list = applied(changes, pairs);
		// Adding to a step and removing from it: in which order is not said.
		const removals = changes.filter(({ action }) => action === 'remove');
		const other = applied(
			[...removals, ...changes.filter(({ action }) => action !== 'remove')],
			pairs,
		);
		const sorted = (value: unknown) =>
			Array.isArray(value) ? value.map((pair) => JSON.stringify(pair)).sort() : value;
		const fits = (value: unknown) =>
			same(value, list) ||
			same(value, other) ||
			(changes.some(({ action }) => action === 'add') && same(sorted(value), sorted(list)));
		return [
			{ ...sent(list, fits), isRead: true },
			...(isPerhaps ? [refused(ROWS, 'Step', 'User')] : []),
			...(places.some(({ place }) => place === false || place === 'perhaps') ? [stranger] : []),
		];
	});
}

const CLEARABLE = ['name', 'deadline', 'priority', 'tags', 'stepAssignments'];

/** What *Fields to Clear* lists; an agent's model gives nothing in many words, and nothing is cleared then. */
function clearedBy(value: unknown, isTool: boolean): { cleared: unknown[]; isRefused: boolean } {
	if (isEmptyCell(value) || (isTool && isWordForNothing(value)))
		return { cleared: [], isRefused: false };
	const list: unknown[] = Array.isArray(value) ? value : [value];
	const isKnown = list.every((name) => typeof name === 'string' && CLEARABLE.includes(name));
	return { cleared: list, isRefused: !isKnown };
}

/** What each field of an instance comes to, and the item as a whole. */
export interface Prediction {
	/** For the item as a whole: for each reason, what it may come to. */
	item: Outcome[][];
	fields: Record<Field, Outcome[]>;
}

/** What the contract allows an item to come to, when the read shows the instance like this. */
export function predict(
	form: Form,
	where: Surroundings,
	present: Record<string, unknown>,
): Prediction {
	const { cleared, isRefused } = clearedBy(form.clearFields, form.isTool);
	const simple = (
		parameter: Parameter,
		clearName: string | undefined,
		empty: unknown,
	): Outcome[] => {
		const isCleared = cleared.includes(clearName);
		const conflict = refused(CLEARED, LABELS[parameter]);
		const outcomes = outcomesOf(parameter, form, where).map((outcome) => {
			if (!isCleared || isRefusal(outcome)) return outcome;
			return isSet(outcome) ? conflict : sent(empty);
		});
		return isCleared && form.updateFields[parameter] ? [...outcomes, conflict] : outcomes;
	};
	const isStepsCleared = cleared.includes('stepAssignments');
	const replaced = simple('stepAssignments', 'stepAssignments', []);
	const stepConflict = refused(ROWS, LABELS.stepAssignments, CLEARED);
	const changed = form.changeSteps && outcomesOfRows(form.changeSteps, form, present);
	const steps =
		changed === undefined
			? replaced
			: combined([replaced, changed]).flatMap((pair): Outcome[] => {
					const refusals = pair.filter(isRefusal);
					if (refusals.length > 0) return refusals;
					const [one = KEPT, other = KEPT] = pair;
					if (isSet(one)) return [isSet(other) ? stepConflict : one];
					return [other];
				});
	const isBeside =
		changed !== undefined && (isStepsCleared || form.updateFields.stepAssignments !== undefined);
	const item: Outcome[][] = [];
	const number = id(form.instanceId.value, 'instances', where.baseUrl);
	if (number.values.length === 0) item.push([refused('Instance')]);
	if (typeof form.isDryRun !== 'boolean') item.push([refused('Dry Run')]);
	if (isRefused) item.push([refused(CLEARED)]);
	// Silent: an expression that lists nothing to clear, in a workflow.
	else if (!Array.isArray(form.clearFields) || cleared.length === 0)
		item.push([KEPT, ...(form.isTool ? [] : [refused(CLEARED)])]);
	const isChanged =
		cleared.length + Object.keys(form.updateFields).length > 0 || form.changeSteps !== undefined;
	if (!isChanged) item.push([KEPT, refused('Fields to Update', CLEARED)]);
	return {
		item,
		fields: {
			process: simple('process', undefined, undefined),
			name: simple('name', 'name', null),
			deadline: simple('deadline', 'deadline', null),
			priority: simple('priority', 'priority', null),
			tags: outcomesOfTags(form, where, present.tags, cleared.includes('tags')),
			step_assignments: isBeside ? [...steps, stepConflict] : steps,
		},
	};
}
