import type { Disposable, Locator } from 'playwright-core';

import { Editor } from '../../e2e/support/editor';
import { OVERLAYS } from '../pictures/area';

/** A picture of the page, and when it was taken, in milliseconds. */
export interface Frame {
	picture: Buffer;
	at: number;
}

const TYPING_MS = 40;
const READING_MS_PER_CHARACTER = 60;
/** How far the form is moved, in pixels. */
const FORM_MOVED = 150;
/** The pointer passes over many things that explain themselves; each would cover others. */
const TOOLTIPS = '[data-reka-popper-content-wrapper]:has([role="tooltip"])';
const RING =
	'width: 32px; height: 32px; border: 3px solid #ff6d5a; border-radius: 50%; background: #ff6d5a44';
const CAPTION =
	'position: fixed; inset: auto 0 0; padding: 10px; background: #2d2e3a; color: #fff; font: 500 22px sans-serif; text-align: center';

/** The editor with a camera. */
export class FilmedEditor extends Editor {
	readonly frames: Frame[] = [];
	private caption: Disposable | undefined;
	private readAt = 0;

	/** Shows what the user does to the page from now on. */
	async film(): Promise<void> {
		const { page, frames } = this;
		await page.addStyleTag({ content: `${OVERLAYS}, ${TOOLTIPS} { display: none !important; }` });
		await page.screencast.start({
			quality: 100,
			size: page.viewportSize() ?? undefined,
			onFrame: ({ data }) => frames.push({ picture: data, at: performance.now() }),
		});
		const style = { point: RING, title: 'display: none' };
		await page.screencast.showActions({ duration: 500, style });
	}

	/** Moves the form of the node to the left, so that there is more room for the output. */
	async moveForm(): Promise<void> {
		const handle = await this.page.getByTestId('panel-drag-button').boundingBox();
		if (handle === null) throw new Error('The form has nothing to move it by.');
		const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
		await this.page.mouse.move(x, y);
		await this.page.mouse.down();
		await this.page.mouse.move(x - FORM_MOVED, y, { steps: 10 });
		await this.page.mouse.up();
	}

	/** Says in plain words what comes next, once the words before could be read. */
	async say(caption: string): Promise<void> {
		await this.show(this.readAt - performance.now());
		await this.caption?.dispose();
		const html = `<div style="${CAPTION}">${caption}</div>`;
		this.caption = await this.page.screencast.showOverlay(html);
		this.readAt = performance.now() + caption.length * READING_MS_PER_CHARACTER;
	}

	/** Shows the page as it is for a while. */
	async show(ms: number): Promise<void> {
		await this.page.waitForTimeout(Math.max(0, ms));
	}

	/** Waits until something is there, and shows it for a while. */
	async showWhen(locator: Locator, ms: number): Promise<void> {
		await locator.first().waitFor();
		await this.show(ms);
	}

	override async type(input: Locator, text: string): Promise<void> {
		await this.click(input);
		await input.fill('');
		await input.pressSequentially(text, { delay: TYPING_MS });
	}
}
