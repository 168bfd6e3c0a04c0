import { PLAIN_WORDS } from '../engine/support/hostile';
import type { Instance } from './service';
import { FIELDS, type Form, isRefusal, isSent, ofKept, predict } from './update';

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
export function expectationOf(form: Form, baseUrl: string, present: Instance) {
	const { item, fields: outcomes } = predict(form, baseUrl, present);
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

export const sorted = (value: object) =>
	Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
