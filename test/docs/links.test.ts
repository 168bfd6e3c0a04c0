import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { filesIn, PAGES, read, ROOT } from './repository';

const CODE = ['nodes', 'credentials', 'sandbox', 'test', 'scripts', '.ci'];
const CODE_BLOCK = /^(```|~~~)[\s\S]*?^\1/gm;
/** The URLs of files in the repository, which npm's page needs instead of relative ones. */
const OF_REPOSITORY =
	/^https:\/\/(?:raw\.githubusercontent\.com|github\.com)\/workflow-instance-service\/n8n-nodes-workflow-instance-service\/(?:(?:blob|raw|tree)\/)?main\//;

/** The headings of a page as GitHub links to them: `## Why & how` is `why--how`. */
const anchorsOf = (markdown: string): string[] =>
	[...markdown.replace(CODE_BLOCK, '').matchAll(/^#+ +(.+?) *$/gm)].map(([, heading = '']) =>
		heading
			.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.toLowerCase()
			.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
			.replaceAll(' ', '-'),
	);

/** What a page links to or shows, in Markdown and in HTML. */
const linksIn = (page: string): string[] =>
	[...page.matchAll(/(?:\]\(|\b(?:href|src|srcset)=")([^)"\s]+)/g)].map(([, link = '']) => link);

/** What a file refers to, by path from the root: the links of a page, and citations such as `docs/trigger.md#events`. */
function targetsIn(file: string): string[] {
	const text = read(file);
	const cited = [...text.matchAll(/\bdocs\/(?:[\w-]+\/)?[\w-]+\.md(?:#[\w-]*)?/g)];
	if (!file.endsWith('.md')) return cited.map(([target]) => target);
	const own = linksIn(text.replace(CODE_BLOCK, '').replace(/`[^`\n]*`/g, ''))
		.map((link) => link.replace(OF_REPOSITORY, '/'))
		.filter((link) => !/^[a-z]+:/.test(link));
	return own.map((link) => {
		if (link.startsWith('/')) return link.slice(1);
		return link.startsWith('#') ? file + link : join(dirname(file), link);
	});
}

function isThere(target: string): boolean {
	const [path = '', heading] = target.split('#');
	if (!existsSync(join(ROOT, path))) return false;
	return heading === undefined || anchorsOf(read(path)).includes(heading);
}

test('every link, image and citation leads to a file and a heading that exist', () => {
	const all = [...CODE.flatMap(filesIn), ...PAGES].flatMap((file) =>
		targetsIn(file).map((target): [file: string, target: string] => [file, target]),
	);
	expect(all.filter(([, target]) => !isThere(target))).toEqual([]);
	const hasHeading = ([, target]: [string, string]) => target.includes('#');
	for (const kind of ['.ts', '.md']) {
		const some = all.filter(([file]) => file.endsWith(kind)).filter(hasHeading);
		expect(some.length).toBeGreaterThan(10);
	}
});

test('every recipe and picture is linked from a page', () => {
	const linked = new Set(PAGES.flatMap(targetsIn));
	const filesOf = (folder: string, ending: string) =>
		readdirSync(join(ROOT, folder))
			.filter((file) => file.endsWith(ending))
			.map((file) => `${folder}/${file}`);
	const shown = [...filesOf('examples', '.json'), ...filesOf('docs/pictures', '.png')];
	expect(shown.filter((file) => !linked.has(file))).toEqual([]);
});
