import { type History, historyOf, KINDS, type Run } from '../../scripts/simulation/histories';
import { simulate } from '../../scripts/simulation/simulate';

// `npm run simulate` tries thousands.
test.each(Object.entries(KINDS))(
	'%s: all runs end, and hardly an item is lost',
	async (_, kind) => {
		const outcomes: Array<Awaited<ReturnType<typeof simulate>>> = [];
		while (outcomes.length < 20) outcomes.push(await simulate(historyOf(kind, outcomes.length)));
		expect(outcomes.filter(({ lost }) => lost > 0).length).toBeLessThan(5);
		expect(outcomes.filter(({ end }) => end === Infinity)).toEqual([]);
	},
);

const gets = (length: number, process: 0 | 1 = 0): Run => ({
	kind: 'get',
	paths: Array.from({ length }, (_, id) => `/${process}/${id}/`),
	process,
});
const runs = [gets(300)];
const updates: Run = { ...gets(200), kind: 'update' };
const failing = (ids: (id: number) => boolean, reply: object = { status: 503 }) =>
	new Map(gets(300).paths.flatMap((path, id) => (ids(id) ? [[path, reply]] : [])));
const tenASecond = { requests: 10, retryAfter: 'none' } as const;
const tenAMinute = { ...tenASecond, seconds: 60 };
const punishing = { ...tenAMinute, countsThrottled: true, retryAfter: 'short' } as const;

const HISTORIES: Record<string, History> = {
	'Two processes share 10 a minute': { limits: [tenAMinute], runs: [gets(20), gets(20, 1)] },
	'Throttled requests count, and Retry-After is too short': {
		limits: [punishing],
		runs: [gets(15)],
	},
	'Only writes are limited': { limits: [{ ...tenASecond, methods: ['PUT'] }], runs: [updates] },
	'A third is unavailable': { limits: [tenASecond], failures: failing((id) => id % 3 === 0), runs },
	'The last third is unavailable': { failures: failing((id) => id >= 200), runs },
	'Some are slow': { failures: failing((id) => id < 10, { slow: 9_000 }), runs },
	'Responses arrive in bursts': { burst: 500, limits: [tenASecond], runs: [gets(100)] },
};

test.each(Object.entries(HISTORIES))('%s: the others are done in time', async (_, history) => {
	const outcome = await simulate(history);
	expect(outcome).toMatchObject({ lost: 0, isLate: false });
	expect(outcome.end).toBeLessThan(Infinity);
});
