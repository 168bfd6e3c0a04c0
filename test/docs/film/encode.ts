import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installDebianPackages } from '../../../sandbox/debian';
import { canRun, programPaths } from '../../../sandbox/findProgram';
import type { Frame } from './reel';

/** How the frames become a file; `frames` are those with the captions below them. */
const FORMATS = {
	/** Few colors and no mixing of them: text stays sharp, and what does not change costs nothing. */
	gif: '[frames]split[one][other];[one]palettegen=max_colors=96:stats_mode=full[palette];[other][palette]paletteuse=dither=none:diff_mode=rectangle[film]',
	mp4: '[frames]fps=25,format=yuv420p[film]',
};
const OPTIONS: Record<keyof typeof FORMATS, string[]> = {
	gif: ['-fps_mode', 'vfr', '-loop', '0'],
	mp4: ['-c:v', 'libx264', '-preset', 'slow', '-crf', '24', '-movflags', '+faststart'],
};

/**
 * Makes sure that there is an ffmpeg: installs that of Debian where there is none.
 *
 * @throws when there is none afterwards; the message says what to install
 */
export function ensureEncoder(): void {
	const isThere = () => programPaths(['ffmpeg', 'ffmpeg.exe']).some(canRun);
	if (isThere()) return;
	installDebianPackages('ffmpeg');
	if (isThere()) return;
	throw new Error('The film needs ffmpeg, which was not found. Install it and run this again.');
}

/** A list for ffmpeg's concat demuxer; the last file stands in it twice, else its time is lost. */
function listOf(files: string[], frames: Frame[]): string {
	const lines = files.map(
		(file, index) => `file '${file}'\nduration ${(frames[index]?.ms ?? 0) / 1_000}`,
	);
	return ['ffconcat version 1.0', ...lines, `file '${files.at(-1)}'`, ''].join('\n');
}

/**
 * Writes a film.
 *
 * @param captions the picture below the frames, for each caption
 * @param path the file; its ending says the format
 * @throws when ffmpeg does not do it; it has then said why
 */
export function encode(frames: Frame[], captions: Map<string, Buffer>, path: string): void {
	const format = path.endsWith('.gif') ? 'gif' : 'mp4';
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-film-'));
	const write = (name: string, content: Buffer | string) => {
		writeFileSync(join(folder, name), content);
		return name;
	};
	try {
		const names = [...captions.keys()];
		names.forEach((name, index) => write(`caption-${index}.png`, captions.get(name) ?? ''));
		const pictures = frames.map(({ picture }, index) => write(`${index}.png`, picture));
		const below = frames.map(({ caption }) => `caption-${names.indexOf(caption)}.png`);
		const inputs = [write('pictures.txt', listOf(pictures, frames))];
		inputs.push(write('captions.txt', listOf(below, frames)));
		const filter = `[0:v][1:v]vstack=shortest=1[frames];${FORMATS[format]}`;
		const args = [
			...['-hide_banner', '-loglevel', 'error', '-y'],
			...inputs.flatMap((list) => ['-f', 'concat', '-i', list]),
			...['-filter_complex', filter, '-map', '[film]', ...OPTIONS[format], path],
		];
		const { status } = spawnSync('ffmpeg', args, { cwd: folder, stdio: 'inherit' });
		if (status !== 0) throw new Error(`ffmpeg did not write ${path}.`);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
