import { buildSeed } from '../../sandbox/service/data/seed';
import { SEED } from '../../sandbox/service/data/seedPlan';
import type { StoredInstance } from '../../sandbox/service/data/store';

const NOW = Date.parse('2026-07-01T10:00:00.000Z');
const DAY = 24 * 60 * 60 * 1000;
const seeded = buildSeed(NOW);

function find(id: number): StoredInstance {
	const instance = seeded.find((candidate) => candidate.id === id);
	if (!instance) throw new Error(`There is no seeded instance ${id}`);
	return instance;
}

const daysAgo = (time: string | null) => (NOW - Date.parse(time ?? '')) / DAY;

describe('the seeded instances', () => {
	it('are at least 40, with ids from 101 on without a gap', () => {
		expect(seeded.length).toBeGreaterThanOrEqual(40);
		expect(seeded.map(({ id }) => id)).toEqual(seeded.map((_, index) => 101 + index));
		expect(SEED.all).toEqual(seeded.map(({ id }) => id));
	});

	it('are the same for the same time', () => {
		expect(buildSeed(NOW)).toEqual(seeded);
		expect(buildSeed(NOW + DAY)).not.toEqual(seeded);
	});

	it('hold instances in every state', () => {
		expect(SEED.allOverdue).toContain(SEED.overdue);
		SEED.allOverdue.forEach((id) => {
			expect(daysAgo(find(id).deadline)).toBeGreaterThan(0);
			expect(find(id).completedTime).toBeNull();
		});
		expect(SEED.allAborted).toContain(SEED.aborted);
		SEED.allAborted.forEach((id) => expect(daysAgo(find(id).abortedTime)).toBeGreaterThan(0));
		expect(SEED.completedRecently).toContain(SEED.completed);
		SEED.completedRecently.forEach((id) => {
			expect(daysAgo(find(id).completedTime)).toBeGreaterThan(0);
			expect(daysAgo(find(id).completedTime)).toBeLessThan(30);
		});
		expect(SEED.completedLongAgo.length).toBeGreaterThanOrEqual(5);
		SEED.completedLongAgo.forEach((id) =>
			expect(daysAgo(find(id).completedTime)).toBeGreaterThan(30),
		);
		SEED.allRunning.forEach((id) =>
			expect(find(id)).toMatchObject({ completedTime: null, abortedTime: null }),
		);
		const sorted = [
			...SEED.allRunning,
			...SEED.allAborted,
			...SEED.completedRecently,
			...SEED.completedLongAgo,
		].sort((a, b) => a - b);
		expect(sorted).toEqual(SEED.all);
	});
});
