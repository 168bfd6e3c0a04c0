import type { Page } from 'playwright-core';

/** The pointer of the mouse, which pictures of a page do not have, and a ring around it on a click. */
const POINTER = `
	<svg width="28" height="28" viewBox="0 0 28 28">
		<circle cx="4" cy="2" r="16" fill="#ff6d5a44" stroke="#ff6d5a" stroke-width="3" />
		<path d="M4 2 L4 22 L9.5 17.2 L13 25 L16.6 23.4 L13.2 15.8 L20.5 15.5 Z"
			fill="#111" stroke="#fff" stroke-width="1.8" stroke-linejoin="round" />
	</svg>
	<style>
		#film-pointer { position: fixed; left: -4px; top: -2px; z-index: 2147483647; pointer-events: none; }
		#film-pointer svg { overflow: visible; }
		#film-pointer circle { visibility: hidden; }
		#film-pointer.pressed circle { visibility: visible; }
	</style>`;

/** Runs in the page. */
const DRAW = `
	const pointer = document.createElement('div');
	pointer.id = 'film-pointer';
	pointer.innerHTML = ${JSON.stringify(POINTER)};
	addEventListener('DOMContentLoaded', () => document.documentElement.append(pointer));
	addEventListener('mousemove', ({ clientX, clientY }) => {
		pointer.style.transform = 'translate(' + clientX + 'px, ' + clientY + 'px)';
	}, { capture: true });
`;

/** Draws the pointer into whatever the page opens from now on. */
export async function drawPointer(page: Page): Promise<void> {
	await page.addInitScript({ content: DRAW });
}

/** Shows the pointer with its ring, or without. */
export async function setPressed(page: Page, pressed: boolean): Promise<void> {
	const pointer = `document.getElementById('film-pointer')`;
	await page.evaluate(`${pointer}.classList.toggle('pressed', ${pressed})`);
}
