import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { filesIn, PAGES, read, ROOT } from './repository';

const FILES = [...['nodes', 'credentials', 'sandbox', 'test', '.ci'].flatMap(filesIn), ...PAGES];
const CODE_BLOCK = /^(```|~~~)[\s\S]*?^\1/gm;

/** The headings of a page as GitHub links to them: `## Why & how` is `why--how`, a second one `why--how-1`. */
function anchorsOf(markdown: string): Set<string> {
	const anchors = new Set<string>();
	for (const [, heading = ''] of markdown.replace(CODE_BLOCK, '').matchAll(/^#+ +(.+?) *$/gm)) {
		const name = heading
			.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.toLowerCase()
			.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
			.replaceAll(' ', '-');
		let anchor = name;
		for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`;
		anchors.add(anchor);
	}
	return anchors;
}

/** What a file refers to, by the path from the root: links of a page, and citations such as `docs/a.md#b`. */
function targetsIn(file: string, text: string): string[] {
	const cited = [...text.matchAll(/\bdocs\/[\w-]+\.md(?:#[\w-]*)?/g)].map(([target]) => target);
	if (!file.endsWith('.md')) return cited;
	const prose = text.replace(CODE_BLOCK, '').replace(/`[^`\n]*`/g, '');
	const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
	const own = links.filter((link) => !/^[a-z]+:/.test(link));
	return own.map((link) => (link.startsWith('#') ? file + link : join(dirname(file), link)));
}

/** What a file refers to that does not exist. */
function brokenIn(file: string, text: string): string[] {
	return targetsIn(file, text).filter((target) => {
		const [path = '', heading] = target.split('#');
		if (!existsSync(join(ROOT, path))) return true;
		return heading !== undefined && !anchorsOf(read(path)).has(heading);
	});
}

test('links and citations lead to files and headings that exist', () => {
	const files = FILES.filter((file) => file !== relative(ROOT, __filename));
	const broken = files.flatMap((file) =>
		brokenIn(file, read(file)).map((found) => `${file}: ${found}`),
	);
	expect(broken).toEqual([]);
});

test('headings are known as GitHub knows them', () => {
	const page = '# `A` & [b](c.md)!\n```sh\n# no heading\n```\n## 4.2 Über_uns\n## A\n## A\n';
	expect([...anchorsOf(page)]).toEqual(['a--b', '42-über_uns', 'a', 'a-1']);
});

test('what is not there is found', () => {
	const [file, heading] = ['docs/made-up.md', 'docs/n8n-engine.md#made-up'];
	expect(brokenIn('a.ts', `/** Why (${heading}), and ${file}. */`)).toEqual([heading, file]);
	expect(brokenIn('docs/a.md', '[a](made-up.md) [b](n8n-engine.md#)')).toHaveLength(2);
});
