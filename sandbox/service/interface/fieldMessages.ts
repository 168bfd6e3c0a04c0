import { INSTANCE_FIELDS } from './description';
import type { Violation } from './violations';

/** Messages by field; positions of a list and keys of an object are fields in turn. */
export interface FieldMessages {
	[field: string]: string[] | FieldMessages;
}

const TYPE_MESSAGES: Record<string, string> = {
	string: 'Not a valid string.',
	integer: 'A valid integer is required.',
	boolean: 'Must be true or false.',
	array: 'Expected a list of items.',
	object: 'Invalid data. Expected a dictionary.',
};

const FORMAT_MESSAGES: Record<string, string> = {
	deadline:
		'Datetime has wrong format. Use YYYY-MM-DDThh:mm:ss with an offset, as in +02:00, or Z.',
	process: 'Enter a valid URL of the form {base_url}/processes/<workflow_id>/.',
};

type Wording = (violation: Violation) => string | undefined;

const fieldOf = ({ at }: Violation): string => at.at(-1) ?? '';

const formatWording: Wording = (violation) => FORMAT_MESSAGES[fieldOf(violation)];

const WORDINGS = new Map<string, Wording>([
	['required', () => 'This field is required.'],
	[
		'additionalProperties',
		(violation) =>
			INSTANCE_FIELDS.readOnly.includes(fieldOf(violation))
				? 'This field is read-only.'
				: 'This field is not known.',
	],
	['maxLength', ({ params }) => `Ensure this field has no more than ${params.limit} characters.`],
	['minItems', () => 'This list may not be empty.'],
	['uniqueItems', () => 'This list may not contain an item twice.'],
	[
		'enum',
		({ params }) => `Not a valid choice. Choose one of ${JSON.stringify(params.allowedValues)}.`,
	],
	['type', ({ params }) => TYPE_MESSAGES[String(params.type)]],
	[
		'baseUrl',
		({ params }) => `Invalid hyperlink. It must be of the form ${params.start}<workflow_id>/.`,
	],
	['format', formatWording],
	['pattern', formatWording],
]);

const wordingOf = (violation: Violation): string =>
	WORDINGS.get(violation.keyword)?.(violation) ?? violation.message;

/** Keys come from outside, so `__proto__` is a key like any other. */
function emptyTree(): FieldMessages {
	const tree: FieldMessages = {};
	Object.setPrototypeOf(tree, null);
	return tree;
}

function add(tree: FieldMessages, at: string[], message: string): void {
	const [field, ...rest] = at;
	const key = field ?? 'non_field_errors';
	const present = tree[key];
	if (rest.length === 0) {
		if (present === undefined) tree[key] = [message];
		if (Array.isArray(present) && !present.includes(message)) present.push(message);
		return;
	}
	const branch = present === undefined || Array.isArray(present) ? emptyTree() : present;
	tree[key] = branch;
	add(branch, rest, message);
}

/** Words violations of a query or body as the service does: lists of messages by field. */
export function toFieldMessages(violations: readonly Violation[]): FieldMessages {
	const tree = emptyTree();
	violations.forEach((violation) => add(tree, violation.at.slice(1), wordingOf(violation)));
	return tree;
}
