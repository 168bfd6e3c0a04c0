import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { FIRST_LIMIT } from '../../nodes/WorkflowInstanceService/api/adaptiveLimit';

const ROOT = join(__dirname, '../..');
const PAGES = [
	'README.md',
	...readdirSync(join(ROOT, 'docs'))
		.filter((name) => name.endsWith('.md'))
		.map((name) => join('docs', name)),
];

/** Where the pages say with how many requests a run begins, e.g. `README.md: begins with 10`. */
const mentions = PAGES.flatMap((page) =>
	[...readFileSync(join(ROOT, page), 'utf8').matchAll(/\b(?:begins|starts) with (\d+)\b/g)].map(
		([words, count]) => ({ place: `${page}: ${words}`, count: Number(count) }),
	),
);

test('the pages say what api/adaptiveLimit.ts says of how many requests a run begins with', () => {
	expect(mentions.length).toBeGreaterThan(0);
	expect(mentions.filter(({ count }) => count !== FIRST_LIMIT)).toEqual([]);
});
