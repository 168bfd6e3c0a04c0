import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { BrowserContextOptions } from 'playwright-core';

import { textAt } from '../../sandbox/guards';
import { CREDENTIAL_TYPE } from '../../sandbox/names';
import { systemClock } from '../../sandbox/service';
import { openBrowser } from '../../test/e2e/support/browser';
import { type Stack, startStack } from '../../test/e2e/support/stack';
import { Camera, type Frame } from './camera';
import { type Scene, SCENES } from './scenes';
import { writeShown } from './shown';

const PICTURES = resolve(__dirname, '../../docs/pictures');
const FILMS = resolve(__dirname, '../../docs/film');
/** The page as it was in the end, e.g. to see why something was not there. */
const LAST_SEEN = resolve(__dirname, '../../coverage/editor/pictures.png');
/** Always the same data, so that a picture differs from the last one only where the editor does. */
const STACK = {
	clock: systemClock(new Date('2027-03-01T09:00:00Z')),
	port: 8090,
	env: { GENERIC_TIMEZONE: 'Europe/Berlin' },
};
/** Pages are about 830 pixels wide; more pixels in the picture keep its text sharp. */
const PICTURE_LOOK = { deviceScaleFactor: 2, viewport: { width: 1400, height: 1100 } };
const FILM_LOOK = { deviceScaleFactor: 1.5, viewport: { width: 1000, height: 660 } };
const BORDERS = { light: '#c4c9d4', dark: '#4a4d57' } as const;

/** Few colors and no mixing of them: text stays sharp, and what does not change costs nothing. */
const PALETTE =
	'split[one][other];[one]palettegen=max_colors=256:stats_mode=full[palette];[other][palette]paletteuse=dither=none:diff_mode=rectangle';
/** The films, by what ffmpeg is told; the first one shows only some of the scenes. */
const FORMATS = [
	{
		file: 'short.gif',
		scenes: ['update', 'dry-run', 'recipe', 'trigger'],
		options: ['-filter_complex', PALETTE, '-loop', '0'],
	},
	{
		file: 'whole.mp4',
		scenes: Object.keys(SCENES),
		options: ['-vf', 'fps=10,format=yuv420p', '-c:v', 'libx264', '-movflags', '+faststart'],
	},
];

/** Opens a workflow with the only credential, on the data that the sandbox begins with. */
async function open(camera: Camera, { n8n: { rest }, sandbox, store }: Stack, scene: Scene) {
	sandbox.control.reset();
	const before = await rest.call('GET', '/credentials');
	for (const one of Array.isArray(before) ? before : []) {
		await rest.call('DELETE', `/credentials/${textAt(one, 'id', 'A credential')}`);
	}
	const { baseUrl, apiKey } = sandbox;
	const data = { baseUrl, apiKey };
	const credential = await rest.createCredential('My service', CREDENTIAL_TYPE, data);
	const id = await store(scene.workflow, credential);
	await camera.open(id);
	return id;
}

/** Plays scenes in a browser of their own, one after another. */
async function play(
	stack: Stack,
	look: BrowserContextOptions,
	names: string[],
	act: (camera: Camera, scene: Scene, name: string) => Promise<void>,
): Promise<void> {
	const browser = await openBrowser(stack.n8n, look);
	try {
		for (const [name, scene] of Object.entries(SCENES)) {
			if (!names.includes(name)) continue;
			await act(new Camera(await browser.newPage(), stack.n8n.url), scene, name);
		}
	} finally {
		await browser.page()?.screenshot({ path: LAST_SEEN });
		await browser.close();
	}
}

async function photograph(stack: Stack, colorScheme: 'dark' | 'light', names: string[]) {
	const look = { ...PICTURE_LOOK, colorScheme };
	await play(stack, look, names, async (camera, scene, name) => {
		const area = await scene.act(camera, stack, await open(camera, stack, scene));
		const path = join(PICTURES, `${name}-${colorScheme}.png`);
		const messages = await scene.messages?.(camera).allInnerTexts();
		writeShown(
			name,
			messages?.map((text) => text.trim()),
		);
		writeFileSync(path, await camera.photograph(area, BORDERS[colorScheme]));
		process.stdout.write(`${path}: ${Math.round(statSync(path).size / 1_000)} kB\n`);
	});
}

async function film(stack: Stack): Promise<Map<string, Frame[]>> {
	const frames = new Map<string, Frame[]>();
	await play(stack, FILM_LOOK, Object.keys(SCENES), async (camera, scene, name) => {
		const id = await open(camera, stack, scene);
		await camera.film(scene.caption);
		await scene.act(camera, stack, id);
		frames.set(name, camera.frames);
	});
	return frames;
}

/** Joins frames into the films. */
function encode(folder: string, frames: Map<string, Frame[]>): void {
	for (const { file, scenes, options } of FORMATS) {
		const shown = scenes.flatMap((scene) => frames.get(scene) ?? []);
		const lines = shown.map(({ picture, seconds }, index) => {
			writeFileSync(join(folder, `${index}.png`), picture);
			return `file '${index}.png'\nduration ${seconds}`;
		});
		// Without its file once more, the time of the last one is lost.
		const list = ['ffconcat version 1.0', ...lines, ...lines.slice(-1)].join('\n');
		writeFileSync(join(folder, 'frames.txt'), list);
		const path = join(FILMS, file);
		const input = ['-loglevel', 'error', '-y', '-f', 'concat', '-i', 'frames.txt'];
		const args = [...input, ...options, path];
		const { status } = spawnSync('ffmpeg', args, { cwd: folder, stdio: 'inherit' });
		if (status !== 0) throw new Error('The films need ffmpeg (Debian: apt-get install ffmpeg).');
		process.stdout.write(`${path}: ${Math.round(statSync(path).size / 1_000)} kB\n`);
	}
}

/** Takes the pictures of the pages, light and dark, and makes the films, or only what is named. */
export async function takePictures(wanted: string[]): Promise<void> {
	for (const folder of [PICTURES, FILMS]) mkdirSync(folder, { recursive: true });
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-pictures-'));
	const stack = await startStack(join(folder, 'n8n'), STACK);
	const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
	try {
		const names = Object.keys(SCENES).filter(isWanted);
		for (const scheme of ['light', 'dark'] as const) await photograph(stack, scheme, names);
		if (isWanted('film')) encode(folder, await film(stack));
	} finally {
		await stack.stop();
		await stack.sandbox.close();
		rmSync(folder, { recursive: true, force: true });
	}
}
