import '../harness/jest/environment';

import { writePage } from './write';
import { collect } from './faults/collect';
import { reliabilityPage } from './faults/page';

/** Writes docs/reliability.md from real runs. */
async function main(): Promise<void> {
	await writePage('reliability.md', reliabilityPage(await collect()));
}

void main();
