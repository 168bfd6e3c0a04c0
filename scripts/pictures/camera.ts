import type { Locator } from 'playwright-core';

import { Editor } from '../../test/e2e/support/editor';

/** A part of the page, in pixels of the page. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** What the film shows, and for how many seconds. */
export interface Frame {
	picture: Buffer;
	seconds: number;
}

/** Something laid over the page. */
interface Overlay {
	css: string;
	text?: string;
}

const MARGIN = 12;
const CLICK_SECONDS = 0.7;
const RING_SIZE = 36;
const CAPTION =
	'inset: auto 0 0; width: 100%; padding: 10px; background: #2d2e3a; color: #fff; font: 500 22px sans-serif; text-align: center';
/** What n8n lays over the form: its notifications and tips, and links to the nodes before and after. */
const IN_THE_WAY =
	'.el-notification, [data-test-id="floating-node"], [role="tooltip"], [data-reka-popper-content-wrapper]:has([role="tooltip"])';
/** How far the form is moved to the left in the film, to make room for the output, in pixels. */
const FORM_MOVED = 150;

async function areaOf(locator: Locator): Promise<Area> {
	const area = await locator.boundingBox();
	if (area === null) throw new Error(`Not on the page: ${locator.toString()}`);
	return area;
}

const place = ({ x, y, width, height }: Area) =>
	`left: ${x}px; top: ${y}px; width: ${width}px; height: ${height}px; background: none`;

/** The editor, filmed while it is used. */
export class Camera extends Editor {
	readonly frames: Frame[] = [];
	/** What the film says about the scene; while there is none, nothing is filmed. */
	private caption = '';

	/** Starts to film, as soon as icons are there. */
	async film(caption: string): Promise<void> {
		this.caption = caption;
		await this.page.waitForLoadState('networkidle');
	}

	/** Shows the page as it is for a while. */
	async show(seconds: number, ...overlays: Overlay[]): Promise<void> {
		if (this.caption === '') return;
		const caption = { css: CAPTION, text: this.caption };
		this.frames.push({ picture: await this.screenshot([caption, ...overlays]), seconds });
	}

	override async click(target: Locator): Promise<void> {
		await this.pointAt(target);
		await super.click(target);
	}

	override async doubleClick(target: Locator): Promise<void> {
		await this.pointAt(target);
		await super.doubleClick(target);
	}

	override async openNode(name: string): Promise<void> {
		await super.openNode(name);
		const handle = this.page.getByTestId('panel-drag-button');
		if (this.caption === '' || !(await handle.isVisible())) return;
		const { x, y } = await areaOf(handle);
		await handle.hover();
		await this.page.mouse.down();
		await this.page.mouse.move(x - FORM_MOVED, y, { steps: 10 });
		await this.page.mouse.up();
	}

	/** Makes the window of a picture as narrow as the film's, for a form without an input panel. */
	async narrow(): Promise<void> {
		if (this.caption === '') await this.page.setViewportSize({ width: 1_000, height: 1_100 });
	}

	/** A picture of a part of the page, with a border, since n8n's white runs into that of a page. */
	async photograph({ x, y, width, height }: Area, border: string): Promise<Buffer> {
		const [left, top] = [Math.ceil(x), Math.ceil(y)];
		const clip = { x: left, y: top, width: Math.floor(width), height: Math.floor(height) };
		const css = `${place(clip)}; border: 1px solid ${border}; box-sizing: border-box`;
		return await this.screenshot([{ css }], clip);
	}

	/** A part of the page down to a little below the last thing to show. */
	async downTo(last: Locator, part: Locator): Promise<Area> {
		const { x, y, width } = await areaOf(part);
		const end = await areaOf(last);
		return { x, y, width, height: end.y + end.height + MARGIN - y };
	}

	/** The form of the node that is open, down to a little below the last thing, and the output beside it. */
	async formAndOutput(last: Locator): Promise<Area> {
		const form = await this.downTo(last, this.form);
		const { x, y, width } = await areaOf(this.output);
		return { x: form.x, y, width: x + width - form.x, height: form.y + form.height - y };
	}

	private async pointAt(target: Locator): Promise<void> {
		if (this.caption === '') return;
		await target.scrollIntoViewIfNeeded();
		const { x, y, width, height } = await areaOf(target);
		const [left, top] = [x + (width - RING_SIZE) / 2, y + (height - RING_SIZE) / 2];
		const ring = place({ x: left, y: top, width: RING_SIZE, height: RING_SIZE });
		const css = `${ring}; border: 4px solid #ff6d5a; border-radius: 50%; box-sizing: border-box`;
		await this.show(CLICK_SECONDS, { css });
	}

	/** A picture of the page with something laid over it, even over n8n's dialogs. */
	private async screenshot(overlays: Overlay[], clip?: Area): Promise<Buffer> {
		await this.page.mouse.move(0, 0);
		const hiding = await this.page.addStyleTag({
			content: `${IN_THE_WAY} { display: none !important; }`,
		});
		// Only what a browser calls a popover can be above a dialog.
		await this.page.evaluate(`for (const { css, text = '' } of ${JSON.stringify(overlays)}) {
			const overlay = document.createElement('div');
			Object.assign(overlay, { popover: 'manual', className: 'overlay', textContent: text });
			overlay.style = 'position: fixed; margin: 0; padding: 0; border: 0; pointer-events: none; ' + css;
			document.body.append(overlay);
			overlay.showPopover();
		}`);
		const picture = await this.page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
		await this.page.evaluate(
			`document.querySelectorAll('.overlay').forEach((one) => one.remove())`,
		);
		// Lists are of the same kind as tips.
		await hiding.evaluate((style) => style.parentNode?.removeChild(style));
		return picture;
	}
}
