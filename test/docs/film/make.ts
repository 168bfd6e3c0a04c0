import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { withCredential } from '../../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../../sandbox/names';
import { type OpenBrowser, openBrowser } from '../../e2e/support/browser';
import { onStage, type Stage, storeCredential } from '../stage';
import { ANIMATION, type Chapter, FILM } from './chapters';
import { encode, ensureEncoder } from './encode';
import { FilmedEditor } from './filmedEditor';
import { drawPointer } from './pointer';
import { Reel } from './reel';

const FOLDER = resolve(__dirname, '../../../docs/film');

interface Film {
	file: string;
	chapters: Chapter[];
	/** Of the page, in pixels; the captions are below it. */
	size: { width: number; height: number };
	/** How much longer everything is shown than in the animation. */
	pace: number;
	largestBytes: number;
}

const FILMS: Film[] = [
	{
		file: 'short.gif',
		chapters: ANIMATION,
		// GitHub shows it 830 pixels wide.
		size: { width: 1_000, height: 600 },
		pace: 1,
		largestBytes: 3_000_000,
	},
	{
		file: 'whole.mp4',
		chapters: FILM,
		size: { width: 1_280, height: 720 },
		pace: 1.5,
		largestBytes: 6_000_000,
	},
];

const CAPTION_STYLE =
	'margin: 0; display: grid; place-items: center; height: 100vh; background: #2d2e3a; color: #fff; font: 500 24px sans-serif';

/** The bars below the pictures. */
async function drawCaptions(
	browser: OpenBrowser,
	captions: string[],
): Promise<Map<string, Buffer>> {
	const page = await browser.newPage();
	await page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height: 64 });
	const drawn = new Map<string, Buffer>();
	for (const caption of captions) {
		await page.setContent(`<body style="${CAPTION_STYLE}">${caption}</body>`);
		drawn.set(caption, await page.screenshot());
	}
	return drawn;
}

async function playAll(stage: Stage, browser: OpenBrowser, film: Film): Promise<Reel> {
	const { n8n, sandbox } = stage;
	const reel = new Reel(film.pace);
	for (const { workflow, hasCredential, act } of film.chapters) {
		sandbox.control.reset();
		const stored = hasCredential
			? withCredential(workflow, NODE_TYPE, await storeCredential(stage))
			: workflow;
		const page = await browser.newPage();
		await drawPointer(page);
		const editor = new FilmedEditor(page, n8n.url, reel);
		await editor.open(await n8n.rest.createWorkflow(stored));
		await act(editor, sandbox);
	}
	reel.say('');
	return reel;
}

async function make(stage: Stage, film: Film): Promise<void> {
	const { file, size, largestBytes } = film;
	const browser = await openBrowser(stage.n8n, size);
	try {
		const { frames } = await playAll(stage, browser, film);
		const captions = [...new Set(frames.map(({ caption }) => caption))];
		const path = join(FOLDER, file);
		encode(frames, await drawCaptions(browser, captions), path);
		const bytes = statSync(path).size;
		const seconds = Math.round(frames.reduce((sum, { ms }) => sum + ms, 0) / 1_000);
		process.stdout.write(`${path}: ${seconds} s, ${Math.round(bytes / 1_000)} kB\n`);
		if (bytes > largestBytes) throw new Error(`${path} has ${bytes} bytes. Show less in it.`);
	} finally {
		await browser.close();
	}
}

/**
 * Makes the animation of the README and the whole film, in a real n8n, and saves them in
 * docs/film.
 *
 * @throws when there is no browser or no ffmpeg
 */
export async function makeFilms(): Promise<void> {
	ensureEncoder();
	mkdirSync(FOLDER, { recursive: true });
	const wanted = process.argv.slice(2);
	for (const film of FILMS) {
		if (wanted.length > 0 && !wanted.includes(film.file)) continue;
		await onStage(async (stage) => await make(stage, film));
	}
}
