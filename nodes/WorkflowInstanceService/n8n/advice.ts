import { beforeThat, type UserFacingError } from '../values/userFacingError';
import type { ExecutionMemory, Target } from './executionMemory';
import type { NodeOperation } from './operation';

export const MAX_EXTRA_REQUESTS = 200;
const CONTINUE_TO_DIVIDE =
	"To delete the other instances anyway, set 'On Error' in the settings of this node to Continue.";

/** The error for a rejected batch, if it isn't known which of its instances the rejection is about. */
export function batchRejection(error: UserFacingError, continues: boolean): UserFacingError {
	if (!continues) return error.with({ advice: `${error.advice} ${CONTINUE_TO_DIVIDE}` });
	return error.with({
		message: `The batch that contains this ID was rejected. ${error.message}`,
		advice: `Other IDs in the batch may be the reason. The node stopped looking for the rejected IDs after ${MAX_EXTRA_REQUESTS} extra requests. Run this node again with the remaining IDs. ${error.advice}`,
	});
}

/** An error as the result of a target. Adds its earlier failure, and that one of the `targets` may have been changed. */
export function errorAbout(
	{ id, lastFailure }: Target,
	targets: readonly Target[],
	error: UserFacingError,
	writes: NodeOperation['writes'],
): UserFacingError {
	// Only if nothing was sent. A rejected key would repeat the same message.
	const addsFailure = error.kind === 'notProcessed' && lastFailure?.message !== error.message;
	const before = addsFailure ? beforeThat(lastFailure) : '';
	const mayHaveChanged = targets.some(({ outcome }) => ['unknown', 'done'].includes(outcome));
	const ifUnknown = mayHaveChanged && writes ? ` ${writes.adviceIfUnknown}` : '';
	return error.with({
		advice: `${error.advice}${before}${ifUnknown}`.trim(),
		id: targets.length === 1 ? id : undefined,
	});
}

/** The error that ends an execution, with a report on all changes. */
export function withReport(
	{ error, itemIndexes }: { error: UserFacingError; itemIndexes: readonly number[] },
	writes: NodeOperation['writes'],
	memory: ExecutionMemory,
): UserFacingError {
	if (!writes) return error;
	const { words, details } = memory.report(writes.done, itemIndexes[0]);
	return error.with({ advice: `${error.advice} ${words}`.trim(), details });
}
