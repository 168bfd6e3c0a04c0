/** A line of a Markdown table. */
export const tableRow = (cells: string[]): string => `| ${cells.join(' | ')} |`;

/** A Markdown table, which prettier lays out. */
export const table = (head: string[], rows: string[][]): string =>
	[head, head.map(() => '---'), ...rows].map(tableRow).join('\n');

/** The cells of a line of a Markdown table. */
export const cellsOf = (line: string): string[] =>
	line
		.split(/(?<!\\)\|/)
		.slice(1, -1)
		.map((cell) => cell.trim());
