const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;

/** A Markdown table, which prettier lays out. */
export const table = (head: string[], rows: string[][]): string =>
	[head, head.map(() => '---'), ...rows].map(row).join('\n');
