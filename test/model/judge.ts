import type { IDataObject } from 'n8n-workflow';

import { PLAIN_WORDS } from '../engine/support/hostile';
import type { Case } from './forms';
import type { Entry, Instance } from './service';
import {
	type Field,
	FIELDS,
	isRefusal,
	ofKept,
	type Outcome,
	predict,
	type Prediction,
	same,
	type Surroundings,
} from './update';

/** What was seen of one item. */
export interface Seen {
	json?: IDataObject;
	/** The message of its error, and all else that is said beside it. */
	error?: { message: string; rest: string };
}

/** Notes a disagreement: its kind, what the contract says, and what was seen. */
export type Note = (kind: string, expected: unknown, actual: unknown) => void;

type Sent = Extract<Outcome, { example: unknown }> & { isKept?: boolean };

/** What may be sent for a field, with what Keep sends in place of what stays. */
function resolved(field: Field, outcomes: Outcome[], present: Instance) {
	const all = outcomes.flatMap(
		(outcome): Array<Outcome & { isKept?: boolean }> =>
			'kept' in outcome
				? ofKept(field, present).map((kept) => ({ ...kept, isKept: true }))
				: [outcome],
	);
	return {
		refusals: all.filter(isRefusal),
		sent: all.filter((outcome): outcome is Sent => 'example' in outcome),
		mayStay: outcomes.some((outcome) => 'kept' in outcome),
		mustStay: outcomes.every((outcome) => 'kept' in outcome || isRefusal(outcome)),
		isRead: outcomes.some(
			(outcome) => 'kept' in outcome || ('isRead' in outcome && outcome.isRead === true),
		),
		mustBeRead: outcomes.every(
			(outcome) =>
				'kept' in outcome || isRefusal(outcome) || ('isRead' in outcome && outcome.isRead === true),
		),
	};
}

function expectations(prediction: Prediction, present: Instance) {
	const fields = FIELDS.map((field) => ({
		field,
		...resolved(field, prediction.fields[field], present),
	}));
	const mayStay = fields.every(
		(field) => field.mayStay || field.sent.some(({ fits }) => fits(present[field.field])),
	);
	// Where nothing remains to change, what cannot be kept is of no matter.
	const ofFields = fields.flatMap(({ refusals, field }) =>
		refusals.map((refusal) => ({ ...refusal, field })),
	);
	const certain = fields.filter(
		({ sent, mayStay: stays }) => sent.length === 0 && !(stays && mayStay),
	);
	const isAllSaid = fields.every((field) => !field.isRead);
	return {
		fields,
		refusals: [...prediction.item.flat().filter(isRefusal), ...ofFields],
		mustRefuse: prediction.item.some((outcomes) => outcomes.every(isRefusal)) || certain.length > 0,
		mustRefuseBefore:
			prediction.item.some((outcomes) => outcomes.every(isRefusal)) ||
			FIELDS.some((field) =>
				prediction.fields[field].every((outcome) => isRefusal(outcome) && !outcome.isAfterRead),
			),
		mustStay: fields.every((field) => field.mustStay),
		mayStay,
		isAllSaid,
		mustBeRead: fields.some((field) => field.mustBeRead),
		labels: certain.map(({ field }) => field),
	};
}

export type Expectations = ReturnType<typeof expectations>;

export const expected = (form: Case['forms'][number], where: Surroundings, present: Instance) =>
	expectations(predict(form, where, present), present);

const names = (text: string, label: string) =>
	new RegExp(`\\b${label.replace(/[()]/g, '\\$&')}\\b`).test(text);

/** Whether a message that refused an item is one of those that the contract has for it. */
export function judgeRefusal(
	expectation: Expectations,
	{ message, rest }: { message: string; rest: string },
	log: Entry[],
	note: Note,
): void {
	const labels = expectation.refusals.flatMap(({ refused }) => refused);
	if (!PLAIN_WORDS.test(message)) note('sounds like an accusation', '', message);
	if (log.some(({ method }) => method !== 'GET')) note('refused and written', labels, message);
	if (expectation.refusals.length === 0) return note('refused a valid form', 'no refusal', message);
	// Nothing to do is no value that is not valid.
	if (message.includes('nothing to update')) return;
	if (!labels.some((label) => names(message, label))) {
		return note(
			labels.some((label) => names(rest, label))
				? 'label is not in the message'
				: 'refused for another reason',
			labels,
			`${message} // ${rest}`,
		);
	}
	const reasons = expectation.refusals.filter((refusal) =>
		refusal.refused.some((label) => names(message, label)),
	);
	if (
		reasons.every((refusal) => refusal.refused.includes('Empty Values')) &&
		!names(message + rest, 'Empty Values')
	)
		note('does not name Empty Values', labels, message + rest);
	const isAfterRead = expectation.refusals.some(
		(refusal) => refusal.isAfterRead && refusal.refused.some((label) => names(message, label)),
	);
	if (!isAfterRead && log.length > 0)
		note('refused after a request', labels, `${message} after ${JSON.stringify(log)}`);
}

const show = (expectation: Expectations) =>
	Object.fromEntries(
		expectation.fields.map(({ field, sent, refusals }) => [
			field,
			[
				...sent.map(({ example }) => example ?? null),
				...refusals.map(({ refused }) => `refused: ${refused.join('|')}`),
			],
		]),
	);

/** Whether what was sent for an item is what the contract says. */
export function judgeBody(
	expectation: Expectations,
	body: Record<string, unknown>,
	note: Note,
): void {
	for (const key of Object.keys(body))
		if (!FIELDS.some((field) => field === key)) note('sent a key that no client sets', FIELDS, key);
	for (const { field, sent, refusals } of expectation.fields) {
		if (sent.some(({ fits }) => fits(body[field]))) continue;
		const kind =
			sent.length === 0
				? 'sent instead of refused'
				: sent.every(({ isKept }) => isKept)
					? 'changed a field that nobody set'
					: 'sent another value';
		note(
			`${field}: ${kind}`,
			{ sent: sent.map(({ example }) => example), refused: refusals.map(({ refused }) => refused) },
			body[field] ?? null,
		);
	}
}

export const fitsBody = (expectation: Expectations, body: Record<string, unknown>): boolean =>
	expectation.fields.every(({ field, sent }) => sent.some(({ fits }) => fits(body[field])));

/** A dry run may name the steps of assignments. */
const withoutNames = (value: unknown): unknown =>
	JSON.parse(
		JSON.stringify(value ?? null, (key, inner: unknown) =>
			key === 'stepName' ? undefined : inner,
		),
	);

/** Whether a dry run says what would be sent. */
export function judgeDryRun(
	expectation: Expectations,
	json: IDataObject,
	present: Instance,
	note: Note,
): void {
	if (json.dryRun !== true) note('dry run: not marked as one', true, json);
	const changes = Object(json.changes) as Record<string, { from?: unknown; to?: unknown }>;
	for (const key of Object.keys(changes))
		if (!FIELDS.some((field) => field === key)) note('dry run: unknown field', FIELDS, key);
	for (const { field, sent, mayStay } of expectation.fields) {
		const change = changes[field];
		if (change === undefined) {
			if (
				!mayStay &&
				!sent.some(({ fits, example }) => fits(present[field]) || isAlike(example, present[field]))
			)
				note(
					`dry run: ${field} lacks`,
					sent.map(({ example }) => example),
					json,
				);
			continue;
		}
		const isRegular =
			field === 'priority' &&
			[null, 'regular', 'Regular'].some((word) => word === (change.to ?? null)) &&
			sent.some(({ fits }) => fits(undefined) || fits(null));
		if (!isRegular && !sent.some(({ fits, isKept }) => !isKept && fits(withoutNames(change.to))))
			note(
				`dry run: ${field} to another value`,
				sent.map(({ example }) => example),
				change.to ?? null,
			);
		if (!same(change.from ?? null, present[field] ?? null) && field !== 'step_assignments')
			note(`dry run: ${field} from another value`, present[field], change.from ?? null);
	}
}

/** Whether an item that came out shows the instance as the service has it. */
export function judgeOutput(
	{ output, outputFields }: Case,
	json: IDataObject,
	instance: Instance,
	note: Note,
): void {
	if (output === 'raw' && !same(sorted(json), sorted(instance)))
		return note('output: raw is another', instance, json);
	const allowed = ['id', ...(output === 'selected' ? outputFields : Object.keys(instance))];
	for (const [key, value] of Object.entries(json)) {
		const isText = key === 'process_snapshot' || key === 'step_deadlines';
		if (output === 'selected' && !allowed.includes(key))
			note('output: a field that nobody selected', allowed, key);
		else if (!isText && !same(value, instance[key] ?? null))
			note(`output: ${key} is another`, instance[key], value);
	}
	const missing = (output === 'selected' ? allowed : ['id']).filter(
		(key) => instance[key] !== undefined && json[key] === undefined,
	);
	if (missing.length > 0) note('output: lacks', missing, json);
	if (output === 'simplified' && Object.keys(json).length > 10)
		note('output: more than ten fields', 10, json);
}

const sorted = (value: object) =>
	Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Whether two values say the same: both nothing, or the same process under another host. */
function isAlike(one: unknown, other: unknown): boolean {
	const isNothing = (value: unknown) =>
		[undefined, null, '', '[]'].some(
			(empty) => empty === (Array.isArray(value) ? JSON.stringify(value) : value),
		);
	const process = /\/processes\/\d+\/$/;
	const [first, second] = [one, other].map((value) => process.exec(String(value))?.[0]);
	return (isNothing(one) && isNothing(other)) || (first !== undefined && first === second);
}

export { show, sorted };
