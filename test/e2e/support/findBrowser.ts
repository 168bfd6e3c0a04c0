import { canRun, programPaths } from '../../../sandbox/findProgram';

/** The variable that says which browser to use, for one that is in no usual place. */
const BROWSER_VARIABLE = 'CHROMIUM_PATH';

const NAMES = [
	'chromium',
	'chromium-browser',
	'google-chrome',
	'google-chrome-stable',
	'chrome.exe',
];
const USUAL_PLACES = [
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
	'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
	'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

export const NO_BROWSER =
	'The tests in the editor need Chromium or Google Chrome, and none was found. Install it (Debian: ' +
	`apt-get install chromium), or set ${BROWSER_VARIABLE} to the program.`;

/**
 * The path of a Chromium or Chrome; undefined when there is none.
 *
 * @throws when the variable names a program that cannot be run
 */
export function findBrowser(): string | undefined {
	const chosen = process.env[BROWSER_VARIABLE];
	if (chosen) {
		if (canRun(chosen)) return chosen;
		throw new Error(`${BROWSER_VARIABLE} is ${chosen}, which is not a program. Correct it.`);
	}
	return [...programPaths(NAMES), ...USUAL_PLACES].find(canRun);
}
