/** What each advice is called on the page, and words by which it is known. The first that fits counts. */
const NAMES: Array<[name: string, words: string]> = [
	['kept-deadline', "'Deadline' was not entered"],
	['kept-process', "'Process' was not entered"],
	['kept-steps', "'Step Assignments' was not entered"],
	['values', 'Correct what the service names'],
	['key', "valid 'API Key'"],
	['access', 'for access'],
	['exists', 'instance still exists'],
	['state', 'Look at the instance'],
	['size', 'Send less at once'],
	['see-service', 'See what the service says'],
	['rate-limit', 'less often'],
	['long-wait', "raise 'Max Wait'"],
	['redirect', 'Redirects are not followed'],
	['port', 'the port is wrong'],
	['host', 'name server'],
	['tls', 'certificate is valid'],
	['timeout', 'Timeout'],
	['cut-off', 'cut it off'],
	['decompress', 'changes responses on the way'],
	['wrong-instance', 'Nothing in it was used'],
	['choose-process', "Add 'Process' in"],
	['current-process', 'its current value is not needed'],
	['deleted', 'what was deleted'],
	['base-url', "Check the 'Base URL'"],
	['later', 'Run the workflow again later'],
	['web-page', 'The response is a web page'],
	['may-be-done', 'The service may have carried out'],
];
/** What follows another advice. */
const ADDITION = / (?=The response is a web page|The service may have carried out)/;

/**
 * Takes an advice apart.
 *
 * @returns the parts that the page lists, by name; none for an empty text
 * @throws Error for a part that has no name yet
 */
export function adviceParts(advice: string): Map<string, string> {
	const parts = advice === '' ? [] : advice.split(ADDITION);
	return new Map(
		parts.map((part): [string, string] => {
			const [name] = NAMES.find(([, words]) => part.includes(words)) ?? [];
			if (name === undefined) throw new Error(`Name this in test/docs/faults/advice.ts: ${part}`);
			return [name, part];
		}),
	);
}

/** All names, in the order of the page. */
export const ADVICE_NAMES = NAMES.map(([name]) => name);
