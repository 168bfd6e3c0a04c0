import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import shown from '../../docs/pictures/shown.json';
import { openBrowser } from '../../test/e2e/support/browser';
import { type Stack, startStack } from '../../test/e2e/support/stack';
import { Camera, type Frame } from './camera';
import { SCENES, shownBy } from './scenes';

const DOCS = resolve(__dirname, '../../docs');
const STACK = { port: 8090, env: { GENERIC_TIMEZONE: 'Europe/Berlin' } };
/** Pages are about 830 pixels wide; more pixels in the picture keep its text sharp. */
const PICTURE = { deviceScaleFactor: 2, viewport: { width: 1100, height: 1100 } };
const LOOKS = {
	light: { ...PICTURE, colorScheme: 'light', border: '#c4c9d4' },
	dark: { ...PICTURE, colorScheme: 'dark', border: '#4a4d57' },
	film: { deviceScaleFactor: 1.5, viewport: { width: 1000, height: 660 }, border: undefined },
} as const;

/** Few colors and no dithering: text stays sharp, and what doesn't change takes no space. */
const PALETTE =
	'split[one][other];[one]palettegen=max_colors=256:stats_mode=full[palette];[other][palette]paletteuse=dither=none:diff_mode=rectangle';
const GIF = ['-filter_complex', PALETTE, '-loop', '0'];
const MP4 = ['-vf', 'fps=10,format=yuv420p', '-c:v', 'libx264', '-movflags', '+faststart'];
const IN_SHORT = ['update', 'dry-run', 'trigger'];

/** Plays scenes in their own browser, and takes their pictures unless it's for the film. */
async function play(stack: Stack, look: keyof typeof LOOKS, names: string[]) {
	const { border, ...context } = LOOKS[look];
	const frames = new Map<string, Frame[]>();
	const browser = await openBrowser(stack.n8n, context);
	try {
		for (const [name, scene] of Object.entries(SCENES)) {
			if (!names.includes(name)) continue;
			stack.sandbox.control.reset();
			const caption = border === undefined ? scene.caption : '';
			const camera = new Camera(await browser.newPage(), stack.n8n.url, caption);
			const id = await stack.store(scene.workflow);
			await camera.open(id);
			// Icons load last.
			await camera.page.waitForLoadState('networkidle');
			const area = await scene.act(camera, stack, id);
			frames.set(name, camera.frames);
			if (border === undefined) continue;
			const picture = await camera.photograph(area, border);
			writeFileSync(join(DOCS, 'pictures', `${name}-${look}.png`), picture);
			const messages = await scene.messages?.(camera).allInnerTexts();
			Object.assign(shown, { [name]: shownBy(scene, messages) });
		}
	} finally {
		await browser.close();
	}
	return frames;
}

/** Joins frames into a film. */
function encode(folder: string, file: string, options: string[], frames: Frame[]): void {
	const lines = frames.map(({ picture, seconds }, index) => {
		writeFileSync(join(folder, `${index}.png`), picture);
		return `file '${index}.png'\nduration ${seconds}`;
	});
	// Unless its file is repeated, the duration of the last frame is lost.
	const list = ['ffconcat version 1.0', ...lines, ...lines.slice(-1)].join('\n');
	writeFileSync(join(folder, 'frames.txt'), list);
	const input = ['-loglevel', 'error', '-y', '-f', 'concat', '-i', 'frames.txt'];
	const args = [...input, ...options, join(DOCS, 'film', file)];
	const { status } = spawnSync('ffmpeg', args, { cwd: folder, stdio: 'inherit' });
	if (status !== 0) throw new Error('The films need ffmpeg (Debian: apt-get install ffmpeg).');
}

/** Takes the pictures for the docs, light and dark, and makes the films, or only those listed. */
export async function takePictures(wanted: string[]): Promise<void> {
	const all = Object.keys(SCENES);
	const names = wanted.length === 0 ? all : wanted;
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-pictures-'));
	const stack = await startStack(join(folder, 'n8n'), STACK);
	try {
		for (const look of ['light', 'dark'] as const) await play(stack, look, names);
		const text = JSON.stringify(shown, all, '\t');
		writeFileSync(join(DOCS, 'pictures/shown.json'), `${text}\n`);
		if (wanted.length > 0 && !wanted.includes('film')) return;
		const frames = await play(stack, 'film', all);
		const short = IN_SHORT.flatMap((name) => frames.get(name) ?? []);
		encode(folder, 'short.gif', GIF, short);
		encode(folder, 'whole.mp4', MP4, [...frames.values()].flat());
	} finally {
		await stack.stop();
		await stack.sandbox.close();
		rmSync(folder, { recursive: true, force: true });
	}
}
