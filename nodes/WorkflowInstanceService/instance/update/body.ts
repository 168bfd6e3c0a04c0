import type { IDataObject } from 'n8n-workflow';

import { isObject, pick } from '../../values/json';
import { describeValue, shortened, UserFacingError } from '../../values/userFacingError';
import type { Amendment, Changes, ListEntry, UpdateKey } from './fields';

type Value = string | null | ListEntry[];

/** What is known of a key that clients can set. */
interface SettableField {
	label: string;
	/** The current value as it can be sent back; undefined when it cannot. */
	keep(value: unknown): Value | undefined;
	/** Whether null is a value of its own; where it is not, services mean "none" by it. */
	nullable: boolean;
	/** What the service calls it when it refuses the value. */
	words: RegExp;
}

type Settable = SettableField & { key: string };

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
const texts = (value: unknown) =>
	Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
const assignments = (value: unknown) =>
	Array.isArray(value) && value.every(isObject)
		? value.map((entry) => pick(entry, ['step_id', 'user_id']))
		: undefined;

const PROCESS_KEY = 'process';

/** A body holds nothing else (docs/service-interface.md#update). */
const FIELDS: Record<UpdateKey | typeof PROCESS_KEY, SettableField> = {
	process: { label: 'Process', keep: text, nullable: false, words: /\bprocess\b/i },
	name: { label: 'Name', keep: text, nullable: true, words: /\bnam(e|ing)\b/i },
	deadline: { label: 'Deadline', keep: text, nullable: true, words: /\bdeadline\b/i },
	priority: { label: 'Priority', keep: text, nullable: true, words: /\bpriority\b/i },
	tags: { label: 'Tags', keep: texts, nullable: false, words: /\btags?\b/i },
	step_assignments: {
		label: 'Step Assignments',
		keep: assignments,
		nullable: false,
		words: /\bstep[ _]assignments?\b|\bstep_id\b|\buser_id\b/i,
	},
};
const SETTABLE: readonly Settable[] = Object.entries(FIELDS).map(([key, field]) => ({
	key,
	...field,
}));

const LONGEST_QUOTE = 80;
const NOTHING_CHANGED = 'Nothing was changed.';

function notSaid({ key, label }: Settable): UserFacingError {
	if (key === PROCESS_KEY) {
		return new UserFacingError(
			'The service did not say which process the instance belongs to',
			`Choose it under 'Process'. ${NOTHING_CHANGED}`,
		);
	}
	return new UserFacingError(
		`The service did not return the '${label}' of the instance, so it cannot be kept`,
		`Set or clear '${label}' in this node, so that its current value is not needed. ${NOTHING_CHANGED}`,
	);
}

/**
 * The current value exactly as it was read; undefined when the instance has none.
 *
 * @throws UserFacingError when the service did not say it, or in a form that cannot be sent back
 */
function currentValue(current: IDataObject, settable: Settable): Value | undefined {
	const { key, label, keep, nullable } = settable;
	const value = current[key];
	if (value === undefined) throw notSaid(settable);
	if (value === null) return nullable ? null : undefined;
	const same = keep(value);
	if (same !== undefined) return same;
	throw new UserFacingError(
		`The service returned '${label}' in a form that cannot be sent back: ${describeValue(value)}`,
		`${key === PROCESS_KEY ? 'Choose' : 'Set or clear'} '${label}' in this node, so that its current value is not needed. ${NOTHING_CHANGED}`,
	);
}

/** A list with what is added and without what is removed, each entry once, order kept. */
function amended(list: ListEntry[], amendments: Amendment[]): ListEntry[] {
	const left = (entries: ListEntry[], isNew: boolean) =>
		entries.filter((entry) => !amendments.some(({ removes }) => removes(entry, isNew)));
	const added = amendments.flatMap(({ add }) => add);
	const all = [...left(list, false), ...left(added, true)];
	return [...new Map(all.map((entry) => [JSON.stringify(entry), entry])).values()];
}

function valueFor(
	settable: Settable,
	{ set, leaveOut, amendments }: Changes,
	current: IDataObject,
	keepsRest: boolean,
): IDataObject[string] {
	const { key } = settable;
	if (Object.hasOwn(set, key)) return set[key];
	const own = amendments.filter((amendment) => amendment.key === key);
	if (own.length > 0) return amended([currentValue(current, settable) ?? []].flat(), own);
	if (!keepsRest || leaveOut.includes(key)) return undefined;
	return currentValue(current, settable);
}

/**
 * The body of an update: what the user set or cleared wins, the rest is as it was read. What the read
 * did not say cannot be kept.
 *
 * @param changes what the user wants, the URI of the process among `set`
 * @param current the instance as it was read; empty when nothing of it is needed
 * @param keepsRest whether the fields that the user did not fill in stay as they are
 * @throws UserFacingError when a current value is needed and not known, or cannot be sent back
 */
export function buildBody(changes: Changes, current: IDataObject, keepsRest: boolean): IDataObject {
	const values = SETTABLE.map((settable) => ({
		settable,
		value: valueFor(settable, changes, current, keepsRest),
	}));
	for (const { settable, value } of values) {
		if (settable.key === PROCESS_KEY && value === undefined) throw notSaid(settable);
	}
	return Object.fromEntries(
		values
			.filter(({ value }) => value !== undefined)
			.map(({ settable: { key }, value }) => [key, value]),
	);
}

function isEntered({ key }: Settable, { set, amendments }: Changes): boolean {
	return Object.hasOwn(set, key) || amendments.some((amendment) => amendment.key === key);
}

/**
 * Advice for a refusal that is about a value which the user did not enter, but which was kept.
 *
 * @param body what was sent
 * @param changes what the user wanted
 * @param words what the service says
 */
export function adviceOnKeptValue(
	body: IDataObject,
	changes: Changes,
	words: string,
): string | undefined {
	const named = SETTABLE.filter(({ words: own }) => own.test(words));
	const [refused] = named.filter(({ key }) => Object.hasOwn(body, key));
	if (refused === undefined || named.some((each) => isEntered(each, changes))) return undefined;
	const { key, label } = refused;
	const value = shortened(JSON.stringify(body[key]), LONGEST_QUOTE);
	const kept = `'${label}' was not entered in this node: ${value} is its current value, which was kept.`;
	if (key === PROCESS_KEY) return `${kept} Choose another one under 'Process'.`;
	if (key !== 'name')
		return `${kept} Set it in 'Fields to Update', or clear it in 'Fields to Clear'.`;
	return `${kept} If the workflow of this instance names its instances itself, add 'Automatic Naming' in 'Fields to Update' and turn it on.`;
}
