import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(__dirname, '../..');
const PLACES = ['nodes', 'credentials', 'sandbox', 'test', '.ci', 'docs', 'README.md'];
const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', 'pictures', 'package-lock.json']);

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The files below a place, by their path from the root of the repository. */
function filesIn(place: string): string[] {
	const path = join(ROOT, place);
	return readdirSync(path, { withFileTypes: true })
		.filter(({ name }) => !NOT_OURS.has(name))
		.flatMap((entry) => {
			const file = join(place, entry.name);
			return entry.isDirectory() ? filesIn(file) : [file];
		});
}

const FILES = PLACES.flatMap((place) => (place.endsWith('.md') ? [place] : filesIn(place)));
const PAGES = FILES.filter((file) => file.endsWith('.md'));

/** The headings of a page as GitHub links to them: `## Why & how` is `why--how`, a second one `why--how-1`. */
function anchorsOf(markdown: string): Set<string> {
	const anchors = new Set<string>();
	const text = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
	for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+?) *$/gm)) {
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

/** Whether a file exists, and on it the heading, if one is given. */
function exists(file: string, heading: string | undefined): boolean {
	if (!existsSync(join(ROOT, file))) return false;
	return heading === undefined || anchorsOf(read(file)).has(heading);
}

/** Citations such as `(docs/n8n-engine.md#pairing)` in a text that lead nowhere. */
function brokenCitations(text: string): string[] {
	return [...text.matchAll(/\bdocs\/[\w-]+\.md(?:#([\w-]*))?/g)]
		.filter(([citation, heading]) => !exists(citation.replace(/#.*/, ''), heading))
		.map(([citation]) => citation);
}

/** Relative links of a page that lead nowhere. */
function brokenLinks(page: string, markdown: string): string[] {
	const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1|`[^`\n]*`/gm, '');
	return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, link = '']) => link)
		.filter((link) => !/^[a-z]+:/.test(link))
		.filter((link) => {
			const [path = '', heading] = link.split('#');
			return !exists(path === '' ? page : join(dirname(page), path), heading);
		});
}

/** Citations of numbered documents, which are not part of the repository. */
function numberedCitations(text: string): string[] {
	const unwrapped = text.replace(/\n\s*(?:\*|\/\/|#) ?/g, ' ');
	const numbered =
		/\bENGINE(?:\.md)?[, ]+\d+|\binterface\b[^.\n]{0,40}\b(?:preamble|(?:section|part) \d)/gi;
	return unwrapped.match(numbered) ?? [];
}

/** What a check finds in each file, as `file: finding`. */
function findings(files: string[], check: (text: string, file: string) => string[]): string[] {
	return files.flatMap((file) => check(read(file), file).map((found) => `${file}: ${found}`));
}

describe('citations in the repository', () => {
	const self = relative(ROOT, __filename);
	const files = FILES.filter((file) => file !== self);

	test('lead to pages and headings that exist', () => {
		const cited = files.filter((file) => /\.md#/.test(read(file)));
		expect(cited.filter((file) => file.startsWith('nodes/'))).not.toEqual([]);
		expect(findings(files, brokenCitations)).toEqual([]);
	});

	test('are by heading, not by the numbers of other documents', () => {
		expect(findings(files, numberedCitations)).toEqual([]);
	});

	test('of files in the pages are of files that exist', () => {
		const named = /`((?:nodes|credentials|test|examples|\.ci)\/[\w./-]+\.\w+)`/g;
		const missing = (text: string) =>
			[...text.matchAll(named)]
				.map(([, file = '']) => file)
				.filter((file) => !exists(file, undefined));
		expect(findings(PAGES, missing)).toEqual([]);
	});

	test('as links between the pages lead to files and headings that exist', () => {
		expect(PAGES).toContain('README.md');
		expect(findings(PAGES, (text, page) => brokenLinks(page, text))).toEqual([]);
	});
});

describe('the check of citations', () => {
	test('knows headings as GitHub does', () => {
		const page = '# `A` & [b](c.md)!\n```sh\n# no heading\n```\n## 4.2 Über_uns\n## A\n## A\n';
		expect([...anchorsOf(page)]).toEqual(['a--b', '42-über_uns', 'a', 'a-1']);
	});

	test.each([
		['a heading', 'docs/n8n-engine.md#made-up'],
		['a page', 'docs/made-up.md'],
		['an empty heading', 'docs/n8n-engine.md#'],
	])('finds %s that is not there', (_, citation) => {
		expect(brokenCitations(`/** Why (${citation}). */`)).toEqual([citation]);
		const link = citation.replace('docs/', '');
		expect(brokenLinks('docs/architecture.md', `See [this](${link}).`)).toEqual([link]);
	});

	test('lets through what is there, and finds citations by number', () => {
		expect(brokenCitations('(docs/n8n-engine.md#pairing) docs/n8n-engine.md')).toEqual([]);
		const links =
			'[a](n8n-engine.md#pairing) [b](#folders) [c](../README.md) [d](https://a.example/#b)';
		expect(brokenLinks('docs/architecture.md', links)).toEqual([]);
		const numbered = '(ENGINE, 32 and 33) \n * the interface describes it\n\t * (part 2)';
		expect(numberedCitations(numbered)).toHaveLength(2);
	});
});
