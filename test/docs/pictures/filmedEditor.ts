import type { Locator } from 'playwright-core';

import { Editor } from '../../e2e/support/editor';
import { OVERLAYS } from './area';

/** A picture of the page, and when it was taken, in milliseconds. */
export interface Frame {
	picture: Buffer;
	at: number;
}

const TYPING_MS = 40;
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
	/** Films what is done to the page, above a caption, and then shows the result for a while. */
	async film(caption: string, act: () => Promise<unknown>, showMs: number): Promise<Frame[]> {
		const { page } = this;
		const frames: Frame[] = [];
		await page.addStyleTag({ content: `${OVERLAYS}, ${TOOLTIPS} { display: none !important; }` });
		await page.screencast.start({
			quality: 100,
			size: page.viewportSize() ?? undefined,
			onFrame: ({ data }) => frames.push({ picture: data, at: performance.now() }),
		});
		await page.screencast.showActions({
			duration: 500,
			style: { point: RING, title: 'display: none' },
		});
		await page.screencast.showOverlay(`<div style="${CAPTION}">${caption}</div>`);
		await page.waitForTimeout(showMs);
		await act();
		await page.waitForTimeout(showMs);
		await page.screencast.stop();
		return frames;
	}

	/** Opens the form and moves it to the left, so that there is more room for the output. */
	override async openNode(name: string): Promise<void> {
		await super.openNode(name);
		const handle = await this.page.getByTestId('panel-drag-button').boundingBox();
		if (handle === null) throw new Error('The form has nothing to move it by.');
		const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
		await this.page.mouse.move(x, y);
		await this.page.mouse.down();
		await this.page.mouse.move(x - FORM_MOVED, y, { steps: 10 });
		await this.page.mouse.up();
	}

	override async type(input: Locator, text: string): Promise<void> {
		await this.click(input);
		await input.fill('');
		await input.pressSequentially(text, { delay: TYPING_MS });
	}
}
