import { CLIENTS } from './cases';
import { memoryRatio, type Peak } from './memory';
import { kilobytes, loadText, type PackageFacts } from './package';
import type { Results } from './results';
import { median } from './stats';

/** Something that the project has set itself, and what was measured. */
export interface Target {
	text: string;
	measured: string;
	met: boolean;
}

const PACKED_LIMIT = 40_000;
const LOAD_LIMIT_MS = 10;

function atMost(
	results: Results,
	[group, client, other]: [string, string, string],
	limit: number,
): Target[] {
	const found = results.ratio(group, client, other);
	if (found === undefined) return [];
	return [
		{
			text: `${group}: ${client} takes at most ${limit} times as long as ${other}`,
			measured: `${found.toFixed(2)} times`,
			met: found <= limit,
		},
	];
}

function timesFaster(
	results: Results,
	[group, client, other]: [string, string, string],
	limit: number,
): Target[] {
	const found = results.ratio(group, other, client);
	if (found === undefined) return [];
	return [
		{
			text: `${group}: ${client} is at least ${limit} times as fast as ${other}`,
			measured: `${found.toFixed(0)} times`,
			met: found >= limit,
		},
	];
}

/** Two runs of the same node differ by this much, as n8n collects garbage when it likes. */
const MEMORY_TOLERANCE = 1.05;

function memoryTargets(peaks: Peak[]): Target[] {
	return peaks.flatMap((peak) => {
		const found = memoryRatio(peak, peaks);
		if (peak.client !== CLIENTS.node || found === undefined) return [];
		return [
			{
				text: `${peak.group}: no more memory than HTTP Request`,
				measured: `${found.toFixed(2)} times`,
				met: found <= MEMORY_TOLERANCE,
			},
		];
	});
}

/** The targets of all that was measured. */
export function targets(results: Results, facts: PackageFacts, peaks: Peak[]): Target[] {
	const { node, predefined, oneByOne, bareBatches, expression, list } = CLIENTS;
	const compared = results.groups().filter((group) => /^Get|Reset/.test(group));
	const deleted = results.groups().filter((group) => group.startsWith('Bulk Delete'));
	return [
		...compared.flatMap((group) => atMost(results, [group, node, predefined], 0.5)),
		...deleted.flatMap((group) => timesFaster(results, [group, node, oneByOne], 50)),
		...deleted.flatMap((group) => atMost(results, [group, node, bareBatches], 5)),
		...deleted.flatMap((group) => atMost(results, [group, expression, bareBatches], 5)),
		...deleted.flatMap((group) => atMost(results, [group, list, bareBatches], 5)),
		...memoryTargets(peaks),
		{
			text: `The packed package is smaller than ${kilobytes(PACKED_LIMIT)}`,
			measured: kilobytes(facts.packed),
			met: facts.packed < PACKED_LIMIT,
		},
		{
			text: `It loads within ${LOAD_LIMIT_MS} ms`,
			measured: loadText(facts),
			met: median(facts.load) < LOAD_LIMIT_MS,
		},
	];
}
