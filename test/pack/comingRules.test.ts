import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { WorkflowInstanceServiceApi } from '../../credentials/WorkflowInstanceServiceApi.credentials';
import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { WorkflowInstanceServiceTrigger } from '../../nodes/WorkflowInstanceService/WorkflowInstanceServiceTrigger.node';
import { textsAt } from '../docs/parameters/page';
import { ROOT } from './checkout';

/*
 * Lint rules of n8n's source that its published scan lacks: hint-max-length, icon-contrast,
 * open-ended-node-fields. Drop each when `npm run scan` brings it; from the whole form, not from the
 * text of *.node.ts alone, they are a little stricter here.
 */
const nodes = [WorkflowInstanceService, WorkflowInstanceServiceTrigger].map(
	(Node) => new Node().description,
);
const forms = [...nodes, new WorkflowInstanceServiceApi()];

test('no hint is longer than 120 characters', () => {
	const hints = textsAt(forms, 'hint');
	expect(hints.length).toBeGreaterThan(5);
	expect(hints.filter(({ length }) => length > 120)).toEqual([]);
});

test('no JSON field is optional, where it could hide what others should be told', () => {
	const properties = nodes.flatMap((description) => description.properties);
	const open = properties.filter(({ type, required }) => type === 'json' && required !== true);
	expect(open.map(({ name }) => name)).toEqual([]);
});

/** WCAG's contrast of two colors like #3F4FA8. */
function contrast(...colors: string[]): number {
	const luminances = colors.map((color) => {
		const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
		const [red = NaN, green = NaN, blue = NaN] = parts.map((value) =>
			value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
		);
		return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	});
	return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}

test.each([
	['light', '#ffffff'],
	['dark', '#2b2b2b'],
])('the %s icon has a contrast of 1.5 to what is behind it', (theme, background) => {
	const icons = textsAt(forms, theme).map((path) => path.replace(/.*[:/]/, ''));
	const [file = '', ...others] = new Set(icons);
	expect(others).toEqual([]);
	const icon = readFileSync(join(ROOT, 'nodes/WorkflowInstanceService', file), 'utf8');
	const colors = icon.match(/#[\da-f]{6}\b/gi) ?? [];
	expect(Math.max(...colors.map((color) => contrast(color, background)))).toBeGreaterThan(1.5);
});
