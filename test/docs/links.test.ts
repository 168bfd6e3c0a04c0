import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { filesIn, PAGES, read, ROOT } from './repository';

const FILES = [...['nodes', 'credentials', 'sandbox', 'test', '.ci'].flatMap(filesIn), ...PAGES];
const CODE_BLOCK = /^(```|~~~)[\s\S]*?^\1/gm;

/** The headings of a page as GitHub links to them: `## Why & how` is `why--how`. */
const anchorsOf = (markdown: string): string[] =>
	[...markdown.replace(CODE_BLOCK, '').matchAll(/^#+ +(.+?) *$/gm)].map(([, heading = '']) =>
		heading
			.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.toLowerCase()
			.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
			.replaceAll(' ', '-'),
	);

/** What a file refers to, by the path from the root: links of a page, and citations such as `docs/trigger.md#events`. */
function targetsIn(file: string, text: string): string[] {
	const cited = [...text.matchAll(/\bdocs\/[\w-]+\.md(?:#[\w-]*)?/g)].map(([target]) => target);
	if (!file.endsWith('.md')) return cited;
	const prose = text.replace(CODE_BLOCK, '').replace(/`[^`\n]*`/g, '');
	const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
	const own = links.filter((link) => !/^[a-z]+:/.test(link));
	return own.map((link) => (link.startsWith('#') ? file + link : join(dirname(file), link)));
}

function isThere(target: string): boolean {
	const [path = '', heading] = target.split('#');
	if (!existsSync(join(ROOT, path))) return false;
	return heading === undefined || anchorsOf(read(path)).includes(heading);
}

test('links and citations lead to files and headings that exist', () => {
	const all = FILES.flatMap((file) =>
		targetsIn(file, read(file)).map((target): [string, string] => [file, target]),
	);
	expect(all.filter(([, target]) => !isThere(target))).toEqual([]);
	const cited = all.filter(([file]) => file.endsWith('.ts'));
	for (const some of [all, cited]) {
		expect(some.filter(([, target]) => target.includes('#')).length).toBeGreaterThan(10);
	}
});
