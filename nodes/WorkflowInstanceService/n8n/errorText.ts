import type { Redact } from '../api/redactor';
import { RunStopped } from '../api/waits';
import { UserFacingError, wordsOf } from '../values/userFacingError';

/** What some advice depends on. */
export interface Sender {
	/** Whether the node goes on with other items, or tries again, by itself. */
	continues: boolean;
	/** What to say where a later attempt may help, if not that the workflow should run again. */
	tryAgain?: string;
	/** What to say where a change may have been made. */
	doubt?: string;
}

const REPORT =
	"Run this node again. If this keeps happening, report it with the details in n8n's log: https://github.com/workflow-instance-service/n8n-nodes-workflow-instance-service/issues";
/** Only where the node stops: with Continue, n8n would process all items again, and only if the first one ends in an error. */
const RETRY_ON_FAIL =
	"To retry automatically, turn on 'Retry On Fail' in the settings of this node.";

/** A user-facing error as it is; anything else that was thrown as unexpected. */
export function asUserFacingError(cause: unknown): UserFacingError {
	if (cause instanceof UserFacingError) return cause;
	const message = `Something unexpected happened in this node: ${wordsOf(cause)}`;
	return new UserFacingError(message, REPORT, { cause, kind: 'failed' });
}

/** The result of work as a value, or why it has no result. */
export async function settle<T>(work: Promise<T>): Promise<T | UserFacingError | RunStopped> {
	return await work.catch((cause: unknown) =>
		cause instanceof RunStopped ? cause : asUserFacingError(cause),
	);
}

/** The one place where an error gets its words: with what depends on the sender, and without the API key. */
export function shown(
	error: UserFacingError,
	{ continues, tryAgain, doubt }: Sender,
	redact: Redact,
): UserFacingError {
	const { message, advice, isTemporary, mayBeDone, requestOption } = error;
	const onceMore = isTemporary && !continues ? RETRY_ON_FAIL : undefined;
	const sentences =
		tryAgain === undefined ? [advice, requestOption, onceMore] : [isTemporary ? tryAgain : advice];
	if (mayBeDone) sentences.push(doubt);
	return error.with({
		message: redact(message),
		advice: redact(sentences.filter(Boolean).join(' ')),
	});
}
