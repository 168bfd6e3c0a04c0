import type { Locator, Page } from 'playwright-core';

import { Editor } from '../../e2e/support/editor';
import { OVERLAYS } from '../pictures/area';
import { setPressed } from './pointer';
import type { Reel } from './reel';

/** How long things are shown, in milliseconds of the film. */
const MOVE_MS = 40;
const MOVES = 8;
const PRESS_MS = 160;
const AFTER_CLICK_MS = 350;
const TYPE_MS = 70;
const MOST_TYPED = 16;

/** How long n8n's panels and lists take to open, on the clock. */
const SETTLE_MS = 350;

/** How far the form is moved, in pixels. */
const FORM_MOVED = 150;

/** The pointer passes over many things that explain themselves; each would cover others. */
const TOOLTIPS = '[data-reka-popper-content-wrapper]:has([role="tooltip"])';

interface Point {
	x: number;
	y: number;
}

/** The editor with a camera: shows the way of the pointer, and what is typed as it is typed. */
export class FilmedEditor extends Editor {
	private pointer: Point = { x: 0, y: 0 };

	constructor(
		page: Page,
		url: string,
		private readonly reel: Reel,
	) {
		super(page, url);
	}

	override async open(workflowId?: string): Promise<void> {
		await super.open(workflowId);
		await this.page.addStyleTag({
			content: `${OVERLAYS}, ${TOOLTIPS} { display: none !important; }`,
		});
		const { width = 0, height = 0 } = this.page.viewportSize() ?? {};
		this.pointer = { x: width / 2, y: height / 2 };
		await this.page.mouse.move(this.pointer.x, this.pointer.y);
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
		await this.page.mouse.move(this.pointer.x, this.pointer.y);
	}

	/** Says in plain words what comes next. */
	say(caption: string): void {
		this.reel.say(caption);
	}

	/** Shows the page as it is for a while. */
	async show(ms: number): Promise<void> {
		this.reel.add(await this.page.screenshot({ caret: 'initial' }), ms);
	}

	/** Waits until something is there, and shows it for a while. */
	async showWhen(locator: Locator, ms: number): Promise<void> {
		await locator.first().waitFor();
		await this.page.waitForTimeout(SETTLE_MS);
		await this.show(ms);
	}

	override async click(target: Locator): Promise<void> {
		await this.press(target, async () => await target.click());
	}

	override async doubleClick(target: Locator): Promise<void> {
		await this.press(target, async () => await target.dblclick());
	}

	override async type(input: Locator, text: string): Promise<void> {
		await this.click(input);
		await input.fill('');
		const length = Math.ceil(text.length / MOST_TYPED);
		for (let end = length; end < text.length + length; end += length) {
			await input.fill(text.slice(0, end));
			await this.show(TYPE_MS);
		}
		await this.page.waitForTimeout(SETTLE_MS);
		await this.show(AFTER_CLICK_MS);
	}

	private async press(target: Locator, click: () => Promise<void>): Promise<void> {
		await this.moveTo(target);
		await setPressed(this.page, true);
		await this.show(PRESS_MS);
		await setPressed(this.page, false);
		await click();
		await this.page.waitForTimeout(SETTLE_MS);
		await this.show(AFTER_CLICK_MS);
	}

	private async moveTo(target: Locator): Promise<void> {
		await target.waitFor();
		await target.scrollIntoViewIfNeeded();
		const area = await target.boundingBox();
		if (area === null) throw new Error('What is to be clicked is not on the page.');
		const from = this.pointer;
		const to = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
		for (let move = 1; move <= MOVES; move++) {
			const way = (1 - Math.cos((Math.PI * move) / MOVES)) / 2;
			await this.page.mouse.move(from.x + (to.x - from.x) * way, from.y + (to.y - from.y) * way);
			await this.show(MOVE_MS);
		}
		this.pointer = to;
	}
}
