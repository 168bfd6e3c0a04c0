/** What the film shows for a while. */
export interface Frame {
	/** A PNG of the page. */
	picture: Buffer;
	/** What is written below it. */
	caption: string;
	/** How long it is shown, in milliseconds. */
	ms: number;
}

const READING_MS = 700;
const READING_MS_PER_CHARACTER = 45;

/**
 * The frames of a film. The film's time is not that of the clock: waiting for n8n takes none of it,
 * so that it is the same on a slow machine.
 */
export class Reel {
	readonly frames: Frame[] = [];
	private caption = '';
	private shownMs = 0;

	/** @param pace how much longer everything is shown than it was said to be, 1 for as long */
	constructor(private readonly pace: number) {}

	/** Changes the caption, once the one before could be read. */
	say(caption: string): void {
		const readMs = READING_MS + this.caption.length * READING_MS_PER_CHARACTER;
		const last = this.frames.at(-1);
		if (last !== undefined) last.ms += Math.max(0, readMs - this.shownMs);
		this.caption = caption;
		this.shownMs = 0;
	}

	/** Shows a picture for a while; the same as before longer. */
	add(picture: Buffer, ms: number): void {
		const shownMs = ms * this.pace;
		this.shownMs += shownMs;
		const last = this.frames.at(-1);
		if (last?.caption === this.caption && last.picture.equals(picture)) last.ms += shownMs;
		else this.frames.push({ picture, caption: this.caption, ms: shownMs });
	}
}
