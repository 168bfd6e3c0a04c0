import type { IDataObject } from 'n8n-workflow';

import { PLAIN_WORDS } from '../engine/support/hostile';
import type { Case } from './forms';
import { same } from './meaning';
import type { Instance } from './service';
import { FIELDS, type Form, isRefusal, isSent, ofKept, predict, type Surroundings } from './update';

/** The error of an item, and all else that is said beside it. */
export interface Refused {
	message: string;
	rest: string;
}

/** Ends a case: the package did another thing than the contract says. */
export function disagree(kind: string, expected: unknown, actual: unknown): never {
	const [wanted, got] = [expected, actual].map((value) => JSON.stringify(value, null, 1));
	throw new Error(`${kind}\nby the contract: ${wanted}\nbut it was: ${got}`);
}

/** What may become of an item, when the instance is like this. */
export function expectationOf(form: Form, where: Surroundings, present: Instance) {
	const { item, fields: outcomes } = predict(form, where, present);
	const fields = FIELDS.map((field) => {
		const all = outcomes[field];
		const kept = all.flatMap((one) => ('kept' in one ? ofKept(field, present) : []));
		return {
			field,
			changes: all.filter(isSent),
			kept: kept.filter(isSent),
			refusals: [...all, ...kept].filter(isRefusal),
			mayStay: all.some((one) => 'kept' in one),
			mustStay: !all.some(isSent),
			mayNeedRead: all.some((one) => 'kept' in one || (isSent(one) && one.isRead)),
			mustBeRead: all.every((one) => !isSent(one) || one.isRead),
		};
	});
	const mayStay = fields.every(
		({ field, mayStay: stays, changes }) =>
			stays || changes.some(({ fits }) => fits(present[field])),
	);
	const isItemRefused = item.some((one) => one.every(isRefusal));
	return {
		fields,
		refusals: [...item.flat().filter(isRefusal), ...fields.flatMap(({ refusals }) => refusals)],
		// Where nothing remains to change, what cannot be kept is of no matter.
		mustRefuse:
			isItemRefused ||
			fields.some(
				({ changes, kept, mayStay: stays }) =>
					changes.length + kept.length === 0 && !(stays && mayStay),
			),
		mustRefuseBefore:
			isItemRefused ||
			FIELDS.some((field) => outcomes[field].every((one) => isRefusal(one) && !one.isAfterRead)),
		mayStay,
		mustStay: fields.every((field) => field.mustStay),
		mayNeedRead: fields.some((field) => field.mayNeedRead),
		mustBeRead: fields.some((field) => field.mustBeRead),
	};
}
export type Expectation = ReturnType<typeof expectationOf>;

const contains = (text: string, label: string) => new RegExp(`\\b${label}\\b`).test(text);

/** Whether a message that refused an item is one of those that the contract has for it. */
export function judgeRefusal(
	{ refusals }: Expectation,
	{ message, rest }: Refused,
	methods: string[],
): void {
	const labels = refusals.map(({ refused }) => refused);
	if (!PLAIN_WORDS.test(message))
		disagree('sounds like an accusation', PLAIN_WORDS.source, message);
	const reasons = refusals.filter(({ refused }) =>
		refused.some((label) => contains(message, label)),
	);
	if (reasons.length === 0) disagree('refused for another reason', labels, [message, rest]);
	const isEmpty = reasons.every(({ refused }) => refused.includes('Empty Values'));
	if (isEmpty && !contains(message + rest, 'Empty Values'))
		disagree('does not name Empty Values', labels, [message, rest]);
	const allowed = reasons.some(({ isAfterRead }) => isAfterRead) ? ['GET'] : [];
	if (!methods.every((method) => allowed.includes(method)))
		disagree('refused after a request', allowed, [message, methods]);
}

export const fitsBody = ({ fields }: Expectation, body: Instance): boolean =>
	fields.every(({ field, changes, kept }) =>
		[...changes, ...kept].some(({ fits }) => fits(body[field])),
	);

/** Whether what was sent for an item is what the contract says. */
export function judgeBody(expectation: Expectation, body: Instance): void {
	const fields: string[] = FIELDS;
	if (!fitsBody(expectation, body) || !Object.keys(body).every((key) => fields.includes(key)))
		disagree('sent another body', expectation.fields, body);
}

/** A dry run may name the steps of assignments. */
const withoutNames = (value: unknown): unknown =>
	JSON.parse(
		JSON.stringify(value ?? null, (key, inner: unknown) =>
			key === 'stepName' ? undefined : inner,
		),
	);

/** Whether two values say the same: both nothing, or the same process under another host. */
function isAlike(one: unknown, other: unknown): boolean {
	const [first, second] = [one, other].map((value) =>
		String(value ?? '').replace(/^.*(?=\/processes\/\d+\/$)/, ''),
	);
	return first === second;
}

/** Whether a dry run says what would be sent. */
export function judgeDryRun({ fields }: Expectation, json: IDataObject, present: Instance): void {
	const changed: Record<string, { from?: unknown; to?: unknown }> = Object(json.changes);
	const others = Object.keys(changed).filter((key) => !fields.some(({ field }) => field === key));
	if (json.dryRun !== true || others.length > 0)
		disagree('no dry run of these fields', FIELDS, json);
	for (const { field, changes, mayStay } of fields) {
		const { [field]: change } = changed;
		if (change === undefined) {
			const isSame = changes.some(
				({ fits, example }) => fits(present[field]) || isAlike(example, present[field]),
			);
			if (!mayStay && !isSame) disagree(`dry run: lacks ${field}`, changes, json);
			continue;
		}
		const to = withoutNames(change.to);
		const isRegular = field === 'priority' && /^(null|regular)$/i.test(String(to));
		const values = isRegular ? [null, undefined] : [to];
		if (!changes.some(({ fits }) => values.some((value) => fits(value))))
			disagree(`dry run: ${field} to another value`, changes, to);
		if (field !== 'step_assignments' && !same(change.from ?? null, present[field] ?? null))
			disagree(`dry run: ${field} from another value`, present[field], change.from);
	}
}

export const sorted = (value: object) =>
	Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Whether an item that came out shows the instance as the service has it. */
export function judgeOutput(
	{ output, outputFields }: Case,
	json: IDataObject,
	instance: Instance,
): void {
	if (output === 'raw' && !same(sorted(json), sorted(instance)))
		disagree('raw output is another', instance, json);
	const selected = ['id', ...outputFields];
	const required = output === 'selected' ? selected : ['id'];
	const missing = required.filter((key) => key in instance && !(key in json));
	const wrong = Object.entries(json).filter(([key, value]) => {
		if (output === 'selected' && !selected.includes(key)) return true;
		return key !== 'process_snapshot' && !same(value, instance[key] ?? null);
	});
	if (missing.length + wrong.length > 0) disagree(`${output} output`, [missing, instance], wrong);
	if (output === 'simplified' && Object.keys(json).length > 10)
		disagree('more than ten fields', 10, json);
}
