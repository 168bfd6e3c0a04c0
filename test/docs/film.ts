import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { installDebianPackages } from '../../sandbox/debian';
import { openBrowser } from '../e2e/support/browser';
import { FilmedEditor, type Frame } from './pictures/filmedEditor';
import { SCENES } from './pictures/scenes';
import type { Stack } from '../e2e/support/stack';
import { onStage, openWorkflow, run } from './stage';

const FOLDER = resolve(__dirname, '../../docs/film');
/** The longest that a picture is shown, so that a slow n8n makes no slow film, in milliseconds. */
const LONGEST_MS = 2_500;
/** How long the beginning and the end of a scene are shown, in milliseconds. */
const LOOK_MS = 2_500;

/** The size is that of the page; `pace` is how long all is shown; `filter` and `options` are ffmpeg's. */
const FILMS = [
	{
		file: 'short.gif',
		scenes: ['update', 'dry-run', 'trigger'],
		// GitHub shows it 830 pixels wide.
		size: { width: 1_000, height: 664 },
		pace: 0.6,
		largestBytes: 3_000_000,
		// Few colors and no mixing of them: text stays sharp, and what does not change costs nothing.
		filter:
			'fps=12,split[one][other];[one]palettegen=max_colors=96:stats_mode=full[palette];[other][palette]paletteuse=dither=none:diff_mode=rectangle',
		options: ['-loop', '0'],
	},
	{
		file: 'whole.mp4',
		scenes: Object.keys(SCENES),
		size: { width: 1_280, height: 784 },
		pace: 1,
		largestBytes: 6_000_000,
		filter: 'fps=25,format=yuv420p',
		options: ['-c:v', 'libx264', '-preset', 'slow', '-crf', '24', '-movflags', '+faststart'],
	},
];
type Film = (typeof FILMS)[number];

async function play(stage: Stack, { scenes, size }: Film): Promise<Frame[]> {
	const browser = await openBrowser(stage.n8n, { viewport: size });
	const frames: Frame[] = [];
	try {
		for (const [name, { workflow, caption, act }] of Object.entries(SCENES)) {
			if (!scenes.includes(name)) continue;
			const editor = new FilmedEditor(await browser.newPage(), stage.n8n.url);
			await openWorkflow(stage, editor, workflow);
			frames.push(
				...(await editor.film(caption, async () => await act(editor, stage.sandbox), LOOK_MS)),
			);
		}
	} finally {
		await browser.close();
	}
	return frames;
}

async function make(stage: Stack, film: Film): Promise<void> {
	const frames = await play(stage, film);
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-film-'));
	const path = join(FOLDER, film.file);
	try {
		const lines = frames.map(({ picture, at }, index) => {
			writeFileSync(join(folder, `${index}.jpeg`), picture);
			const ms = Math.min(LONGEST_MS, (frames[index + 1]?.at ?? Infinity) - at) * film.pace;
			return `file '${index}.jpeg'\nduration ${ms / 1_000}`;
		});
		// Without its file once more, the time of the last one is lost.
		const list = ['ffconcat version 1.0', ...lines, ...lines.slice(-1)].join('\n');
		writeFileSync(join(folder, 'frames.txt'), list);
		const input = ['-hide_banner', '-loglevel', 'error', '-y', '-f', 'concat', '-i', 'frames.txt'];
		const args = [...input, '-filter_complex', film.filter, ...film.options, path];
		const { status } = spawnSync('ffmpeg', args, { cwd: folder, stdio: 'inherit' });
		if (status !== 0) throw new Error(`ffmpeg did not write ${path}.`);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	const { size } = statSync(path);
	process.stdout.write(`${path}: ${Math.round(size / 1_000)} kB\n`);
	if (size > film.largestBytes) throw new Error(`${path} has ${size} bytes. Show less in it.`);
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
