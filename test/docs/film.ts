import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { Page } from 'playwright-core';

import { installDebianPackages } from '../../sandbox/debian';
import { withCredential } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { type OpenBrowser, openBrowser } from '../e2e/support/browser';
import { ANIMATION, FILM } from './film/chapters';
import { FilmedEditor, type Frame } from './film/filmedEditor';
import { onStage, run, type Stage, storeCredential } from './stage';

const FOLDER = resolve(__dirname, '../../docs/film');
/** The longest that a picture is shown, so that a slow n8n makes no slow film, in milliseconds. */
const LONGEST_MS = 4_000;

/** The size is that of the page; `pace` is how long all is shown; `filter` and `options` are ffmpeg's. */
const FILMS = [
	{
		file: 'short.gif',
		chapters: ANIMATION,
		// GitHub shows it 830 pixels wide.
		size: { width: 1_000, height: 600 },
		pace: 0.6,
		largestBytes: 3_000_000,
		// Few colors and no mixing of them: text stays sharp, and what does not change costs nothing.
		filter:
			'fps=12,split[one][other];[one]palettegen=max_colors=96:stats_mode=full[palette];[other][palette]paletteuse=dither=none:diff_mode=rectangle',
		options: ['-loop', '0'],
	},
	{
		file: 'whole.mp4',
		chapters: FILM,
		size: { width: 1_280, height: 720 },
		pace: 1,
		largestBytes: 6_000_000,
		filter: 'fps=25,format=yuv420p',
		options: ['-c:v', 'libx264', '-preset', 'slow', '-crf', '24', '-movflags', '+faststart'],
	},
];
type Film = (typeof FILMS)[number];

async function play({ n8n, sandbox }: Stage, browser: OpenBrowser, film: Film): Promise<Frame[]> {
	const frames: Frame[] = [];
	for (const { workflow, isNew, act } of film.chapters) {
		sandbox.control.reset();
		const credential = isNew ? undefined : await storeCredential({ n8n, sandbox });
		const stored = credential ? withCredential(workflow, NODE_TYPE, credential) : workflow;
		const editor = new FilmedEditor(await browser.newPage(), n8n.url);
		await editor.open(await n8n.rest.createWorkflow(stored));
		await editor.film();
		await act(editor, sandbox);
		await editor.page.screencast.stop();
		frames.push(...editor.frames);
	}
	return frames;
}

/** The bar below the pictures. */
async function drawCaption(page: Page, width: number, caption: string): Promise<Buffer> {
	await page.setViewportSize({ width, height: 64 });
	const style =
		'margin: 0; display: grid; place-items: center; height: 100vh; background: #2d2e3a; color: #fff; font: 500 24px sans-serif';
	await page.setContent(`<body style="${style}">${caption}</body>`);
	return await page.screenshot();
}

/** A list for ffmpeg's concat demuxer. */
function listOf(frames: Frame[], pace: number, fileOf: (frame: Frame) => string): string {
	const lines = frames.map((frame, index) => {
		const ms = Math.min(LONGEST_MS, Math.abs((frames[index + 1]?.at ?? Infinity) - frame.at));
		return `file '${fileOf(frame)}'\nduration ${(ms * pace) / 1_000}`;
	});
	// Without its file once more, the time of the last one is lost.
	return ['ffconcat version 1.0', ...lines, ...lines.slice(-1)].join('\n');
}

async function make(stage: Stage, film: Film): Promise<void> {
	const { file, size, pace, largestBytes, filter, options } = film;
	const browser = await openBrowser(stage.n8n, size);
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-film-'));
	try {
		const frames = await play(stage, browser, film);
		const captions = [...new Set(frames.map(({ caption }) => caption))];
		const page = await browser.newPage();
		const write = (name: string, content: Buffer | string) =>
			writeFileSync(join(folder, name), content);
		for (const [index, caption] of captions.entries()) {
			write(`caption-${index}.png`, await drawCaption(page, size.width, caption));
		}
		frames.forEach(({ picture }, index) => write(`${index}.jpeg`, picture));
		write(
			'pictures.txt',
			listOf(frames, pace, (frame) => `${frames.indexOf(frame)}.jpeg`),
		);
		write(
			'captions.txt',
			listOf(frames, pace, ({ caption }) => `caption-${captions.indexOf(caption)}.png`),
		);
		const path = join(FOLDER, file);
		const inputs = ['pictures.txt', 'captions.txt'].flatMap((list) => ['-f', 'concat', '-i', list]);
		const args = [
			...['-hide_banner', '-loglevel', 'error', '-y', ...inputs],
			...['-filter_complex', `[0:v][1:v]vstack=shortest=1,${filter}[film]`, '-map', '[film]'],
			...[...options, path],
		];
		const { status } = spawnSync('ffmpeg', args, { cwd: folder, stdio: 'inherit' });
		if (status !== 0) throw new Error(`ffmpeg did not write ${path}.`);
		const bytes = statSync(path).size;
		process.stdout.write(`${path}: ${Math.round(bytes / 1_000)} kB\n`);
		if (bytes > largestBytes) throw new Error(`${path} has ${bytes} bytes. Show less in it.`);
	} finally {
		await browser.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

// Makes the animation of the README and the whole film in a real n8n, or those whose files are named.
run(async () => {
	const hasEncoder = () => spawnSync('ffmpeg', ['-version']).status === 0;
	if (!hasEncoder() && !(installDebianPackages('ffmpeg') && hasEncoder())) {
		throw new Error('The film needs ffmpeg, which was not found. Install it and run this again.');
	}
	mkdirSync(FOLDER, { recursive: true });
	const wanted = process.argv.slice(2);
	for (const film of FILMS.filter(({ file }) => wanted.length === 0 || wanted.includes(file))) {
		await onStage(async (stage) => await make(stage, film));
	}
});
