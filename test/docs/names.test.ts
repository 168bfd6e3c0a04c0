import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { FIRST_LIMIT } from '../../nodes/WorkflowInstanceService/api/pace/adaptiveLimit';
import { filesIn, PAGES, read, ROOT } from './repository';

const NODE = 'nodes/WorkflowInstanceService';

/** Whether there is a file, a module or, with a slash at the end, a folder. */
const exists = (path: string): boolean =>
	[path, `${path}.ts`].some((each) => existsSync(join(ROOT, each)));

/** What all pages have in common with a pattern, with the page in front. */
const inPages = (pattern: RegExp): Array<[page: string, match: string]> =>
	PAGES.flatMap((page) =>
		[...read(page).matchAll(pattern)].map(([match]): [string, string] => [page, match]),
	);

/** The paths in a tree of folders, whose lines are like `a/  why`, and below it, indented, `b, c  why`. */
function pathsIn(tree: string): string[] {
	const folders: string[] = [];
	return tree.split('\n').flatMap((line) => {
		const [, indent = '', names] = /^( *)(\S+(?:, \S+)*)(?: {2}|$)/.exec(line) ?? [];
		if (names === undefined) return [line];
		const depth = indent.length / 2;
		folders[depth] = names;
		return names.split(', ').map((name) => folders.slice(0, depth).join('') + name);
	});
}

test('docs/architecture.md lists files and folders that exist, and all folders of the node', () => {
	const [, tree = ''] = /```text\n(.*?)\n```/s.exec(read('docs/architecture.md')) ?? [];
	const listed = pathsIn(tree);
	expect(listed.filter((path) => !exists(path))).toEqual([]);
	const folders = readdirSync(join(ROOT, NODE), { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => `${NODE}/${name}/`);
	expect(listed).toEqual(expect.arrayContaining(folders));
});

test('the pages name paths that exist', () => {
	const folders = [...readdirSync(ROOT), ...readdirSync(join(ROOT, NODE))];
	const isOurs = (path: string) =>
		folders.includes(path.replace(/\/.*/, '')) &&
		!/(^|\/)(dist|node_modules|coverage)\//.test(path);
	const missing = inPages(/(?<=`|\[)(?:[\w.-]+\/)+[\w.-]*(?=`|[\]:])/g).filter(
		([, path]) => isOurs(path) && !exists(path) && !exists(`${NODE}/${path}`),
	);
	expect(missing).toEqual([]);
});

test('the pages name commands that exist', () => {
	const scripts = Object.keys(Object(JSON.parse(read('package.json'))).scripts);
	const named = inPages(/(?<=npm run |`)[a-z]+:[a-z]+(?=[`\s])|(?<=npm run )[a-z]+/g);
	expect(named.filter(([, name]) => !scripts.includes(name))).toEqual([]);
	expect(named.length).toBeGreaterThan(30);
});

test('the pages quote names of tests as the tests have them', () => {
	const text = PAGES.map(read).join().replace(/\s+/g, ' ');
	const quotes = [...text.matchAll(/"([^"]+)" in `(test\/[^`]+)`/g)];
	expect(quotes).not.toEqual([]);
	const missing = quotes.filter(
		([, name = '', file = '']) => !exists(file) || !read(file).includes(name),
	);
	expect(missing.map(([quote]) => quote)).toEqual([]);
});

// In these pages double quotes hold what this package says, with … for what differs; what n8n says
// is in code or in italics.
test.each(['README.md', 'docs/operations.md'])('%s quotes messages that the code has', (page) => {
	const messages = [read('docs/messages.md'), ...filesIn('nodes').map(read)].join('\n');
	const prose = read(page).replace(/^```.*?^```|`[^`\n]*`|<[^>]*>/gms, '');
	const quotes = [...prose.matchAll(/"([^"]+)"/g)].map(([, quote = '']) => quote);
	expect(quotes).not.toEqual([]);
	const has = (part: string) => messages.includes(part.trim());
	expect(quotes.filter((quote) => !quote.split('…').every(has))).toEqual([]);
});

test('the pages say what the code says of how many requests a run begins with', () => {
	const said = inPages(/\b(?<=(begins|starts) with )\d+\b/g).map(([, count]) => Number(count));
	expect(new Set(said)).toEqual(new Set([FIRST_LIMIT]));
});
