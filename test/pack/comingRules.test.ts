import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { ROOT } from './checkout';

/*
 * Lint rules of n8n's source that its published scan lacks: hint-max-length, icon-contrast,
 * open-ended-node-fields. Drop each when `npm run scan` brings it; from the whole form, not from the
 * text of *.node.ts alone, they are a little stricter here.
 */
const nodes = [WorkflowInstanceService, WorkflowInstanceServiceTrigger].map(
	(Node) => new Node().description,
);
const forms = [...nodes, { ...new WorkflowInstanceServiceApi() }];

/** All values at a key, however deep. */
function valuesAt(key: string, form: unknown): unknown[] {
	if (typeof form !== 'object' || form === null) return [];
	return Object.entries(form).flatMap(([name, value]) =>
		name === key ? [value] : valuesAt(key, value),
	);
}

const LONGEST_HINT = 120;

test(`no hint is longer than ${LONGEST_HINT} characters`, () => {
	const hints = forms.flatMap((form) => valuesAt('hint', form)).map(String);
	expect(hints.length).toBeGreaterThan(5);
	expect(hints.filter(({ length }) => length > LONGEST_HINT)).toEqual([]);
});

test('no JSON field is optional, where it could hide what others should be told', () => {
	const properties = nodes.flatMap((description) => description.properties);
	const open = properties.filter(({ type, required }) => type === 'json' && required !== true);
	expect(open.map(({ name }) => name)).toEqual([]);
});

/** WCAG's relative luminance of a color like #3F4FA8. */
function luminance(color: string): number {
	const [red = NaN, green = NaN, blue = NaN] = [1, 3, 5].map((at) => {
		const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
		return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const LEAST_CONTRAST = 1.5;

test.each([
	['light', '#ffffff'],
	['dark', '#2b2b2b'],
])(`the %s icon has a contrast of ${LEAST_CONTRAST} to what is behind it`, (theme, background) => {
	const icons = forms.flatMap((form) => valuesAt('icon', form)).map((icon) => Object(icon)[theme]);
	expect(new Set(icons.map((icon) => icon.replace(/.*[:/]/, ''))).size).toBe(1);
	const file = join(ROOT, 'nodes/WorkflowInstanceService', icons[0].replace('file:', ''));
	const colors = readFileSync(file, 'utf8').match(/#[\da-f]{6}\b/gi) ?? [];
	const contrasts = colors.map((color) => {
		const [dark = NaN, light = NaN] = [color, background].map(luminance).sort((a, b) => a - b);
		return (light + 0.05) / (dark + 0.05);
	});
	expect(Math.max(...contrasts)).toBeGreaterThan(LEAST_CONTRAST);
});
