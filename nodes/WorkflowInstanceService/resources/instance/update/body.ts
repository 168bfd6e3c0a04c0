import type { IDataObject } from 'n8n-workflow';

import { isObject, pick } from '../../../values/objects';
import { describeValue, Trouble } from '../../../values/trouble';
import type { Changes } from './fields';

/** A key that clients can set; a body holds nothing else (interface, section 4.2). */
interface Settable {
	key: string;
	label: string;
	/** The present value as it can be sent back; undefined when it cannot. */
	keep(value: unknown): IDataObject[string] | undefined;
	/** Whether null is a value of its own; where it is not, services mean "none" by it. */
	nullable: boolean;
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
const texts = (value: unknown) =>
	Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
const assignments = (value: unknown) =>
	Array.isArray(value) && value.every(isObject)
		? value.map((entry) => pick(entry, ['step_id', 'user_id']))
		: undefined;

const TAGS: Settable = { key: 'tags', label: 'Tags', keep: texts, nullable: false };
const SETTABLE: readonly Settable[] = [
	{ key: 'process', label: 'Process', keep: text, nullable: false },
	{ key: 'name', label: 'Name', keep: text, nullable: true },
	{ key: 'deadline', label: 'Deadline', keep: text, nullable: true },
	{ key: 'priority', label: 'Priority', keep: text, nullable: true },
	TAGS,
	{ key: 'step_assignments', label: 'Step Assignments', keep: assignments, nullable: false },
];

/** The present value exactly as it was read; undefined when the instance has none. */
function presentValue(
	present: IDataObject,
	{ key, label, keep, nullable }: Settable,
): IDataObject[string] | undefined {
	const value = present[key];
	if (value === undefined) return undefined;
	if (value === null) return nullable ? null : undefined;
	const same = keep(value);
	if (same !== undefined) return same;
	throw new Trouble(
		`The service returned '${label}' in a form that cannot be sent back: ${describeValue(value)}`,
		`${key === 'process' ? 'Choose' : 'Set or clear'} '${label}' in this node, so that its present value is not needed. Nothing was changed.`,
	);
}

function amendedTags(present: IDataObject, { addTags, removeTags }: Changes): string[] {
	const tags = [presentValue(present, TAGS) ?? []].flat().map(String);
	return [...new Set([...tags, ...addTags])].filter((tag) => !removeTags.includes(tag));
}

/**
 * The body of an update: what the user set or cleared wins, the rest is as it was read.
 *
 * @param changes what the user wants, the URI of the process among `set`
 * @param present the instance as it was read; empty when nothing of it is needed
 * @param keepsRest whether the fields that the user did not fill in stay as they are
 * @throws Trouble when a present value cannot be sent back, or when no process is known
 */
export function buildBody(changes: Changes, present: IDataObject, keepsRest: boolean): IDataObject {
	const set = changes.amendsTags
		? { ...changes.set, tags: amendedTags(present, changes) }
		: changes.set;
	const body: IDataObject = {};
	for (const settable of SETTABLE) {
		const { key } = settable;
		const keeps = keepsRest && !changes.leaveOut.includes(key);
		const value = Object.hasOwn(set, key) || !keeps ? set[key] : presentValue(present, settable);
		if (value !== undefined) body[key] = value;
	}
	if (body.process !== undefined) return body;
	throw new Trouble(
		'The service did not say to which process the instance belongs',
		"Choose it under 'Process'. Nothing was changed.",
	);
}
