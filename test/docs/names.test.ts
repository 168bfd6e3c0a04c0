import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { FIRST_LIMIT } from '../../nodes/WorkflowInstanceService/api/adaptiveLimit';
import { filesIn, ROOT } from './repository';

const NODE = 'nodes/WorkflowInstanceService';
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PAGES = [
	...filesIn('docs').filter((file) => file.endsWith('.md')),
	'README.md',
	'CONTRIBUTING.md',
];
const ARCHITECTURE = read('docs/architecture.md');

/** Whether there is a file, a module or, with a slash at the end, a folder. */
const exists = (path: string): boolean =>
	[path, `${path}.ts`].some((each) => existsSync(join(ROOT, each)));

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

describe('docs/architecture.md', () => {
	const [, tree = ''] = /```text\n(.*?)\n```/s.exec(ARCHITECTURE) ?? [];
	const listed = pathsIn(tree);

	test('lists files and folders that exist, and all folders of the node', () => {
		expect(listed.filter((path) => !exists(path))).toEqual([]);
		const folders = readdirSync(join(ROOT, NODE), { withFileTypes: true })
			.filter((entry) => entry.isDirectory())
			.map(({ name }) => `${NODE}/${name}/`);
		expect(listed).toEqual(expect.arrayContaining(folders));
	});

	test('names only modules and terms of the code', () => {
		const files = ['nodes', 'credentials', 'test', 'sandbox'].flatMap(filesIn);
		const modules = files.map((file) => basename(file).replace(/\.\w+$/, ''));
		const code = filesIn('nodes')
			.filter((file) => file.endsWith('.ts'))
			.map(read);
		const words = new Set([
			...modules,
			...readdirSync(join(ROOT, NODE)),
			...code.flatMap((text) => text.replace(/^\s*(\/?\*|\/\/).*$/gm, '').match(/\w+/g) ?? []),
		]);
		const named = [...ARCHITECTURE.matchAll(/`(\w{2,})`/g)].map(([, name = '']) => name);
		expect(named.filter((name) => !words.has(name))).toEqual([]);
		expect(named).not.toEqual([]);
	});
});

test('the pages name paths that exist', () => {
	const folders = [...readdirSync(ROOT), ...readdirSync(join(ROOT, NODE))];
	const isOurs = (path: string) =>
		folders.includes(path.replace(/\/.*/, '')) &&
		!/(^|\/)(dist|node_modules|coverage)\//.test(path);
	const missing = PAGES.flatMap((page) =>
		[...read(page).matchAll(/(?<=`|\[)(?:[\w.-]+\/)+[\w.-]*(?=`|[\]:])/g)]
			.map(([path]) => path)
			.filter((path) => isOurs(path) && !exists(path) && !exists(`${NODE}/${path}`))
			.map((path) => `${page}: ${path}`),
	);
	expect(missing).toEqual([]);
});

test('the pages quote names of tests as the tests have them', () => {
	const quotes = PAGES.flatMap((page) => [
		...read(page)
			.replace(/\s+/g, ' ')
			.matchAll(/"([^"]+)" in `(test\/[^`]+)`/g),
	]);
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
	const said = PAGES.flatMap((page) => [...read(page).matchAll(/\b(begins|starts) with (\d+)\b/g)]);
	expect(new Set(said.map(([, , count]) => Number(count)))).toEqual(new Set([FIRST_LIMIT]));
});
