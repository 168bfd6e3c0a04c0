/** How far two runs of the benchmark are apart. */
export interface Agreement {
	/** How many ratios both have. */
	compared: number;
	/** The largest difference, as a share of the smaller ratio: 0.1 is 10 %. */
	largest: number;
	/** The ratios that differ by more than the tolerance, each in words. */
	apart: string[];
}

/** Two runs on the same machine are to agree within this share. */
export const TOLERANCE = 0.25;

const cellsOf = (line: string): string[] =>
	line
		.split('|')
		.slice(1, -1)
		.map((cell) => cell.trim());

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

const rowName = (row: string[]): string[] => row.filter((cell) => /^[a-z]/i.test(cell));

/** Compares a page with that of the run before. */
export function agreementOf(before: string, page: string): Agreement {
	const earlier = ratiosOf(before);
	const agreement: Agreement = { compared: 0, largest: 0, apart: [] };
	for (const [name, ratio] of ratiosOf(page)) {
		const other = earlier.get(name);
		if (other === undefined) continue;
		const difference = Math.max(ratio, other) / Math.min(ratio, other) - 1;
		agreement.compared++;
		agreement.largest = Math.max(agreement.largest, difference);
		if (difference > TOLERANCE) agreement.apart.push(`${name}: ${other}, now ${ratio}`);
	}
	return agreement;
}

/** e.g. `52 ratios, at most 14 % apart from those of the run before.` and which are too far apart. */
export function agreementText({ compared, largest, apart }: Agreement): string {
	const percent = Math.round(100 * largest);
	return [
		`${compared} ratios, at most ${percent} % apart from those of the page before.`,
		...apart.map((one) => `More than ${100 * TOLERANCE} %: ${one}`),
	].join('\n\n');
}
