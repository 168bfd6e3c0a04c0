import { type BrowserContextOptions, chromium, selectors } from 'playwright-core';

import { canRun, findProgram } from '../../../sandbox/programs';

/** The variable with the path of the browser, for one that isn't in a usual place. */
const BROWSER_VARIABLE = 'CHROMIUM_PATH';
const NAMES = 'chromium,chromium-browser,google-chrome,google-chrome-stable,chrome.exe'.split(',');
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
 * @throws when the variable has the path of a program that can't be run
 */
export function findBrowser(): string | undefined {
	const chosen = process.env[BROWSER_VARIABLE];
	if (!chosen) return findProgram(NAMES) ?? USUAL_PLACES.find(canRun);
	if (canRun(chosen)) return chosen;
	throw new Error(`${BROWSER_VARIABLE} is ${chosen}, which is not a program. Correct it.`);
}

/**
 * Starts the browser without a window, signed in to n8n. It can't reach anything but n8n.
 *
 * @param look what should look different from pages in the tests
 * @throws when there is none; the message says what to install
 */
export async function openBrowser(
	{ url, rest }: { url: string; rest: { authCookie: string } },
	look: BrowserContextOptions = {},
) {
	const executablePath = findBrowser();
	if (executablePath === undefined) throw new Error(NO_BROWSER);
	selectors.setTestIdAttribute('data-test-id');
	// Without its own sandbox, it also runs as root in a container.
	const args = ['--no-sandbox', '--disable-gpu'];
	const browser = await chromium.launch({ executablePath, args });
	const context = await browser.newContext({
		viewport: { width: 1440, height: 900 },
		colorScheme: 'light',
		reducedMotion: 'reduce',
		locale: 'en-GB',
		timezoneId: 'Europe/Berlin',
		...look,
	});
	// Far longer than anything takes, even if others are using the machine.
	context.setDefaultTimeout(120_000);
	await context.addCookies([{ name: 'n8n-auth', value: rest.authCookie, url }]);
	const isElsewhere = (address: URL) => address.origin !== url;
	await context.route(isElsewhere, async (route) => await route.abort());
	return {
		/** A new page instead of the previous one, which may contain unsaved changes. */
		async newPage() {
			const page = await context.newPage();
			const others = context.pages().filter((other) => other !== page);
			await Promise.all(others.map(async (other) => await other.close()));
			return page;
		},
		close: async () => await browser.close(),
	};
}

export type OpenBrowser = Awaited<ReturnType<typeof openBrowser>>;

/** A group of tests that need a browser. Without one they're skipped, or fail on a build server (`CI`). */
export function describeInBrowser(name: string, tests: () => void): void {
	if (findBrowser() !== undefined || process.env.CI) return describe(name, tests);
	process.stderr.write(`\n${NO_BROWSER}\nLeft out: ${name}\n\n`);
	describe.skip(name, tests);
}
