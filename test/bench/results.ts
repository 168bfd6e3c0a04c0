import type { Case } from './cases';
import type { Measurement } from './stack';
import { ratio } from './stats';

/** The figures of one client in one group, a value for each round. */
export interface Row {
	group: string;
	client: string;
	/** Milliseconds. */
	times: number[];
	/** Milliseconds of CPU time of the whole run; empty where they cannot be read. */
	cpu: number[];
	/** Whether fewer items were run, and the time was scaled up. */
	scaled: boolean;
}

export interface Results {
	add(one: Case, measured: Measurement): void;
	rows(): Row[];
	/** The names of the groups, in their order. */
	groups(): string[];
	/** How many times one client takes what the other does; undefined when one was not measured. */
	ratio(group: string, client: string, other: string): number | undefined;
	/** The same of the CPU time. */
	cpuRatio(group: string, client: string, other: string): number | undefined;
}

/** An empty collection of figures. */
export function createResults(): Results {
	const rows: Row[] = [];
	const find = (group: string, client: string) =>
		rows.find((row) => row.group === group && row.client === client);
	return {
		add({ group, client, scale = 1 }, { time, cpu }) {
			let row = find(group, client);
			if (row === undefined) {
				row = { group, client, times: [], cpu: [], scaled: scale !== 1 };
				rows.push(row);
			}
			row.times.push(time * scale);
			if (cpu !== undefined) row.cpu.push(cpu * scale);
		},
		rows: () => rows,
		groups: () => [...new Set(rows.map(({ group }) => group))],
		ratio(group, client, other) {
			const one = find(group, client);
			const two = find(group, other);
			return one && two && ratio(one.times, two.times);
		},
		cpuRatio(group, client, other) {
			const one = find(group, client)?.cpu ?? [];
			const two = find(group, other)?.cpu ?? [];
			return one.length > 0 && two.length > 0 ? ratio(one, two) : undefined;
		},
	};
}
