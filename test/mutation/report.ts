import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { table } from '../docs/table';
import { writePage } from '../docs/write';
import listed from './survivors.json';

interface Position {
	line: number;
	column: number;
}

interface MutantResult {
	status: string;
	replacement?: string;
	location: { start: Position; end: Position };
}

interface FileResult {
	source: string;
	mutants: MutantResult[];
}

/** What is read of Stryker's report. */
interface MutationTestResult {
	files: Record<string, FileResult>;
}

/** A change of the source that no test notices. */
interface Survivor {
	file: string;
	line: number;
	from: string;
	to: string;
	/** Why no test can notice it; undefined when nobody has looked at it yet. */
	reason: string | undefined;
}

/** Which changes survive for which reason: `from` becomes one of `to`, anywhere in the file. */
const REASONS: Array<{ file: string; from: string; to: string[]; reason: string }> = listed;
const REPORT = resolve(__dirname, '../../coverage/mutation.json');
const SOURCES = /^nodes\/WorkflowInstanceService\//;

const isFound = ({ status }: MutantResult): boolean => status === 'Killed' || status === 'Timeout';
const isMissed = ({ status }: MutantResult): boolean =>
	status === 'Survived' || status === 'NoCoverage';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function originalText({ source }: FileResult, { location: { start, end } }: MutantResult): string {
	const lines = source.split('\n').slice(start.line - 1, end.line);
	const last = lines.length - 1;
	const cut = lines.map((text, index) =>
		text.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
	);
	return oneLine(cut.join('\n'));
}

function survivorsOf(path: string, result: FileResult): Survivor[] {
	const file = path.replace(SOURCES, '');
	return result.mutants.filter(isMissed).map((mutant) => {
		const from = originalText(result, mutant);
		const to = oneLine(mutant.replacement ?? '');
		const known = REASONS.find(
			(one) => one.file === file && one.from === from && one.to.includes(to),
		);
		return { file, line: mutant.location.start.line, from, to, reason: known?.reason };
	});
}

const code = (text: string): string => `\`${text.replace(/\|/g, '\\|')}\``;

function page(report: MutationTestResult, survivors: Survivor[], score: string): string {
	const files = Object.entries(report.files).map(([path, { mutants }]) => {
		const found = mutants.filter(isFound).length;
		const missed = mutants.filter(isMissed).length;
		return [code(path.replace(SOURCES, '')), ...[mutants.length, found, missed].map(String)];
	});
	const listing = survivors.map(({ file, line, from, to, reason = '**none given yet**' }) => [
		`${code(file)}, ${line}`,
		code(from),
		code(to),
		reason,
	]);
	return `# Mutation tests

Written by \`npm run mutation\`: it changes the source of what ships in one place at a time and runs the tests of
the engine. A change that no test notices has survived. Changes after which the code does not load
count neither way.

**${score} % of the changes are found.** The least that passes is 90 %.

${table(['File', 'Changes', 'Found', 'Survived'], files)}

## Survivors

${table(['Where', 'From', 'To', 'Why no test notices it'], listing)}
`;
}

/** Writes docs/mutation.md, and ends with 1 when a survivor has no reason. */
async function main(): Promise<void> {
	const report: MutationTestResult = JSON.parse(readFileSync(REPORT, 'utf8'));
	const mutants = Object.values(report.files).flatMap((result) => result.mutants);
	const found = mutants.filter(isFound).length;
	const score = ((100 * found) / (found + mutants.filter(isMissed).length)).toFixed(1);
	const survivors = Object.entries(report.files).flatMap(([path, result]) =>
		survivorsOf(path, result),
	);
	await writePage('mutation.md', page(report, survivors, score));
	const open = survivors.filter(({ reason }) => reason === undefined);
	console.log(`${score} % found; ${survivors.length} survived, ${open.length} without a reason.`);
	if (open.length > 0) process.exitCode = 1;
}

void main();
