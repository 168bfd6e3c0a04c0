import { cellsOf } from '../docs/table';

/** Two runs on the same machine are to agree within this share of the smaller ratio. */
const TOLERANCE = 0.25;

const rowName = (row: string[]): string[] => row.filter((cell) => /^[a-z]/i.test(cell));

/** All ratios of a page: those in columns whose head begins with "To", by heading, row and column. */
function ratiosOf(page: string): Map<string, number> {
	const ratios = new Map<string, number>();
	for (const section of page.split('\n### ').slice(1)) {
		const [heading = '', ...lines] = section.split('\n');
		const [head = [], , ...rows] = lines.filter((line) => line.startsWith('|')).map(cellsOf);
		for (const row of rows) {
			for (const [column, name] of head.entries()) {
				const ratio = name.startsWith('To ') ? Number(row[column] || NaN) : NaN;
				if (ratio !== 1 && ratio > 0)
					ratios.set([heading, ...rowName(row), name].join(': '), ratio);
			}
		}
	}
	return ratios;
}

/**
 * How far the ratios of a page are from those of the page before, in words: e.g. `52 ratios, at most
 * 14 % apart from those of the page before.` and which are too far apart.
 */
export function agreement(before: string, page: string): string {
	const earlier = ratiosOf(before);
	const compared = [...ratiosOf(page)].flatMap(([name, now]) => {
		const then = earlier.get(name);
		if (then === undefined) return [];
		return [{ name, then, now, difference: Math.max(now, then) / Math.min(now, then) - 1 }];
	});
	const largest = Math.max(0, ...compared.map(({ difference }) => difference));
	return [
		`${compared.length} ratios, at most ${Math.round(100 * largest)} % apart from those of the page before.`,
		...compared
			.filter(({ difference }) => difference > TOLERANCE)
			.map(({ name, then, now }) => `More than ${100 * TOLERANCE} %: ${name}: ${then}, now ${now}`),
	].join('\n\n');
}
