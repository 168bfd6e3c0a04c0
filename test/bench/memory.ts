import { type Case, CLIENTS } from './cases';
import type { BenchStack } from './stack';

/** The most memory that n8n had while it ran something. */
export interface Peak {
	group: string;
	client: string;
	megabytes: number;
}

/** How many times the memory of HTTP Request, doing the same, is needed; undefined without that. */
export function memoryRatio({ group, megabytes }: Peak, peaks: Peak[]): number | undefined {
	const references: string[] = [CLIENTS.predefined, CLIENTS.oneByOne];
	const other = peaks.find((peak) => peak.group === group && references.includes(peak.client));
	return other && megabytes / other.megabytes;
}

/** Runs each case once, in an n8n that has just started. Gives nothing where memory cannot be read. */
export async function measureMemory(stack: BenchStack, cases: Case[]): Promise<Peak[]> {
	const peaks: Peak[] = [];
	for (const { group, client, measure } of cases) {
		await stack.restart();
		const { memory } = await measure(stack);
		if (memory !== undefined) peaks.push({ group, client, megabytes: memory });
	}
	return peaks;
}
