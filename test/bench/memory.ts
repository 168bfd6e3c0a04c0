import type { Case } from './cases';
import type { BenchStack } from './stack';

/** The most memory that n8n had while it ran something. */
export interface Peak {
	group: string;
	client: string;
	megabytes: number;
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
