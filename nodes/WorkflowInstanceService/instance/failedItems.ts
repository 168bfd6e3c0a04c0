import type { InputItem } from '../n8n/inputItem';
import { assertNoDryRunAsked, type NodeExecution } from '../n8n/operation';
import { plainId } from '../values/ids';
import { asObject } from '../values/json';
import { shortened } from '../values/text';
import { UserFacingError } from '../values/userFacingError';

/** Why an earlier node returned an item as failed, and the key under which it says so; undefined for any other item. */
function failureIn(json: unknown): { key: string; problem: unknown } | undefined {
	const { details, dryRun, error, ...others } = asObject(json);
	// A dry run also lists what it could not read.
	const isPreview = dryRun === true && ['changes', 'deleted'].some((key) => key in others);
	if (isPreview) return { key: 'message', problem: others.message };
	const { id, item } = asObject(details);
	const hasOwnFields = Object.keys(others).length > 0;
	// On the error output, an item has its ID in the details, or its own fields. There, the user means to process it.
	const isOfThisNode =
		Number.isInteger(item) &&
		id === undefined &&
		(plainId(others.id) !== undefined || !hasOwnFields);
	// Other nodes return the error alone, as text or an object.
	const isAlone = details === undefined && !hasOwnFields;
	const { message: problem = error } = asObject(error);
	return isOfThisNode || isAlone ? { key: 'error', problem } : undefined;
}

/**
 * The error about an item that an earlier node returned because it failed; undefined for any other item.
 * @param root where an expression finds it, if it's the item of another node
 */
export function failedItem(json: unknown, root?: string): UserFacingError | undefined {
	const { key = '', problem } = failureIn(json) ?? {};
	if (typeof problem !== 'string' || problem === '') return undefined;
	const [what, where] = root ? [root, 'After that node'] : ['This item', 'Before this node'];
	return new UserFacingError(
		`${what} is an error item from an earlier node: ${shortened(problem)}`,
		`${where}, filter out the items that have '${key}'.`,
		{ id: plainId(asObject(json).id) },
	);
}

/** The errors of the items that failed, by their IDs. */
export function failuresById(jsons: readonly unknown[]): ReadonlyMap<number, UserFacingError> {
	const errors = jsons.flatMap((json) => failedItem(json) ?? []);
	return new Map(errors.flatMap((error) => (error.id === undefined ? [] : [[error.id, error]])));
}

/** The error about a sample of the trigger. */
export function sampleItem(): UserFacingError {
	return new UserFacingError(
		'This item is a sample from a test of the trigger, and its instance is real',
		'To test the workflow, turn on Dry Run. Once published, the workflow gets real events.',
	);
}

/** Throws UserFacingError about items that contain the IDs of instances, but that nobody means to delete. */
export function assertDeletable(
	item: InputItem,
	ids: readonly number[],
	failures: ReadonlyMap<number, UserFacingError>,
	execution: Pick<NodeExecution, 'isDryRun' | 'isTool'>,
): void {
	assertNoDryRunAsked(item, execution);
	// In a test of the whole workflow, the trigger returns samples, whose instances are real and may be running.
	if (!execution.isDryRun && /^\d+-\w+-sample$/.test(String(asObject(item.json).eventId)))
		throw sampleItem();
	// Unlike a label of a form, such as "IDs (separated by ;)", the header of a file has no blanks around its delimiters.
	const merged = Object.entries(asObject(item.json)).find(
		([name, value]) => /[^\s;][;\t][^\s;)]/.test(name) && /[;\t]/.test(String(value)),
	);
	if (merged && ids.length > 1) {
		throw new UserFacingError(
			`'${shortened(merged[0])}' contains several columns, since a file was read with another delimiter`,
			"In Extract from File, set 'Delimiter' to the one in the file, e.g. a semicolon.",
		);
	}
	// An expression may also list the IDs of other items.
	const error = failedItem(item.json) ?? failures.get(Number(ids.find((id) => failures.has(id))));
	// What failed before an agent started is not about the IDs that its model chooses.
	if (error && ids.length > 0 && !execution.isTool)
		throw ids.length === 1 ? error.with({ id: ids[0] }) : error;
}
