import type { Locator } from 'playwright-core';

import type { Editor } from '../../e2e/support/editor';

/** A part of the page, in pixels of the page. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

const MARGIN = 12;
/** Around the nodes of a workflow, of which their outputs stick out. */
const CANVAS_MARGIN = 28;
/** Below the handle with which n8n's panels are moved. */
const TOP_MARGIN = 6;

/** What n8n lays over the form: its messages, and the ways to the nodes before and behind. */
export const OVERLAYS = '.el-notification, [data-test-id="floating-node"]';
/** Its tips, and the lists of its fields too, so this is only for a form that is filled in. */
const TIPS_AND_LISTS = '[role="tooltip"]';

async function areaOf(locator: Locator): Promise<Area> {
	const area = await locator.boundingBox();
	if (area !== null) return area;
	throw new Error('What the picture is to show is not on the page. Look at the scene.');
}

/** A part of the page down to a little below the last thing to show. */
export async function downTo(last: Locator, part: Locator): Promise<Area> {
	const { x, y, width } = await areaOf(part);
	const end = await areaOf(last);
	return { x, y, width, height: end.y + end.height + MARGIN - y };
}

/** All nodes and notes of the workflow. */
export async function canvasArea({ page }: Editor): Promise<Area> {
	await page.addStyleTag({ content: `${OVERLAYS} { display: none !important; }` });
	const parts = await page.locator('.vue-flow__node').all();
	const areas = await Promise.all(parts.map(areaOf));
	const x = Math.min(...areas.map((area) => area.x)) - CANVAS_MARGIN;
	const y = Math.min(...areas.map((area) => area.y)) - CANVAS_MARGIN;
	const right = Math.max(...areas.map((area) => area.x + area.width)) + CANVAS_MARGIN;
	const bottom = Math.max(...areas.map((area) => area.y + area.height)) + CANVAS_MARGIN;
	return { x, y, width: right - x, height: bottom - y };
}

/** The form of the node that is open, down to a little below the last thing, with the output beside it. */
export async function formAndOutputArea({ page, output }: Editor, last: Locator): Promise<Area> {
	const content = `${OVERLAYS}, ${TIPS_AND_LISTS} { display: none !important; }`;
	await page.addStyleTag({ content });
	await page.mouse.move(0, 0);
	const form = await downTo(last, page.getByTestId('node-parameters'));
	const button = await areaOf(page.getByTestId('ndv').getByTestId('node-execute-button').first());
	const { x, width } = await areaOf(output);
	const y = button.y - TOP_MARGIN;
	return { x: form.x, y, width: x + width - form.x, height: form.y + form.height - y };
}
