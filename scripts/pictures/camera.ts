import type { Locator, Page } from 'playwright-core';

import { Editor } from '../../test/e2e/support/editor';

/** Part of the page, in its pixels. */
export type Area = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

/** What the film shows, and for how many seconds. */
export interface Frame {
	picture: Buffer;
	seconds: number;
}

const MARGIN = 12;
const CLICK_SECONDS = 0.7;
const CAPTION =
	'position: fixed; inset: auto 0 0; padding: 10px; background: #2d2e3a; color: #fff; font: 500 22px sans-serif; text-align: center';
/** Marks what is clicked, and hides what n8n puts over the form: notifications, tips, links to other nodes. */
const STYLE = `[data-clicked] { outline: 4px solid #ff6d5a !important; outline-offset: 2px; }
.el-notification, [data-test-id="floating-node"], [role="tooltip"], [data-reka-popper-content-wrapper]:has([role="tooltip"]) { display: none !important; }`;
/** How far the form is moved to the left to make room for the output, in pixels. */
const FORM_MOVED = 150;

async function boxOf(locator: Locator): Promise<Area> {
	const box = await locator.boundingBox();
	if (box === null) throw new Error(`Not on the page: ${locator.toString()}`);
	return box;
}

/** The editor. If there is a caption, it's filmed while it's used. */
export class Camera extends Editor {
	readonly frames: Frame[] = [];

	constructor(
		page: Page,
		url: string,
		private readonly caption: string,
	) {
		super(page, url);
	}

	/** Shows the page as it is for a while. */
	async show(seconds: number): Promise<void> {
		if (this.caption === '') return;
		this.frames.push({ picture: await this.screenshot(CAPTION, this.caption), seconds });
	}

	override async click(target: Locator, clickCount = 1): Promise<void> {
		await target.evaluate((element) => element.setAttribute('data-clicked', ''));
		await this.show(CLICK_SECONDS);
		await target.evaluate((element) => element.removeAttribute('data-clicked'));
		await super.click(target, clickCount);
	}

	override async openNode(name: string): Promise<void> {
		await super.openNode(name);
		const handle = this.page.getByTestId('panel-drag-button');
		const drag = { targetPosition: { x: -FORM_MOVED, y: 0 }, steps: 10, force: true };
		if (await handle.isVisible()) await handle.dragTo(handle, drag);
	}

	/** The area of parts side by side, down to a little below the last thing to show. */
	async areaOf(last: Locator, ...parts: Locator[]): Promise<Area> {
		const boxes = await Promise.all(parts.map(boxOf));
		const end = await boxOf(last);
		const x = Math.ceil(Math.min(...boxes.map((box) => box.x)));
		const y = Math.ceil(Math.min(...boxes.map((box) => box.y)));
		const right = Math.floor(Math.max(...boxes.map((box) => box.x + box.width)));
		return { x, y, width: right - x, height: Math.floor(end.y + end.height + MARGIN) - y };
	}

	/** A picture of an area, with a border, since n8n's white would blend into that of a page. */
	async photograph(area: Area, border: string): Promise<Buffer> {
		const place = `left: ${area.x}px; top: ${area.y}px; width: ${area.width}px; height: ${area.height}px`;
		const look = `position: fixed; box-sizing: border-box; border: 1px solid ${border}`;
		return await this.screenshot(`${place}; ${look}`, '', area);
	}

	/** A picture of the page under a box, which is even above n8n's dialogs. */
	private async screenshot(css: string, text: string, clip?: Area): Promise<Buffer> {
		const { page } = this;
		await page.mouse.move(0, 0);
		const box = await page.screencast.showOverlay(`<div style="${css}">${text}</div>`);
		const picture = await page.screenshot({ clip, animations: 'disabled', style: STYLE });
		await box.dispose();
		return picture;
	}
}
