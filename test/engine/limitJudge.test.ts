import { AdaptiveLimit } from '../../nodes/WorkflowInstanceService/api/pace/adaptiveLimit';
import { type Flight, Flights } from '../../nodes/WorkflowInstanceService/api/pace/flights';
import { LimitJudge } from '../../nodes/WorkflowInstanceService/api/pace/limitJudge';
import { PacedRequest } from '../../nodes/WorkflowInstanceService/api/pace/pacedRequest';
import { PushBackEvidence } from '../../nodes/WorkflowInstanceService/api/pace/pushBackEvidence';

const BOUNDS = { maxConcurrentRequests: 100, maxRetries: 4, maxWait: 300_000 };

describe('the judge of rate limits', () => {
	let flights: Flights;
	let judge: LimitJudge;
	beforeEach(() => {
		flights = new Flights();
		judge = new LimitJudge(flights);
	});
	const a = (path: string, method: 'GET' | 'PUT' = 'GET') => new PacedRequest(method, path, BOUNDS);
	const alone = () => {
		const request = a('/alone/');
		request.suspect({ isOver: false });
		return request;
	};
	const retried = (request: PacedRequest) => Object.assign(request, { pushBacks: 2 });
	const begin = (request: PacedRequest, isProbe = false, begunAt = 0): Flight => {
		const number = ++flights.begun;
		return { request, number, begunAt, window: 0, isProbe, isOvertaken: false };
	};
	const pushBack = (...all: Flight[]) => {
		for (const flight of all) judge.pushedBack(flight, 0, 0);
	};
	const limitOf = (current: number) => {
		const limit = new AdaptiveLimit();
		while (limit.current > current) limit.halve();
		return limit;
	};

	test.each([
		[5, [true, false, true]],
		// Where even time between requests does not help.
		[1, [true, false, false]],
	])(
		'notices one that it missed by a row of twice as many as are in flight: %d',
		(current, expected) => {
			const notices = (others: number) => {
				const decider = begin(a('/decides/'));
				pushBack(...Array.from({ length: others }, (_, nth) => begin(a(`/${nth}/`))));
				judge.decider = decider;
				pushBack(decider, begin(alone()), begin(a('/read/'), true));
				const isNoticed = judge.noticesMissedLimit(decider, true, limitOf(current));
				judge.decider = undefined;
				return isNoticed;
			};
			expect(notices(2 * current)).toBe(false);
			judge.seeLimit();
			const rest = [0, 2 * current - 1, 2 * current].map(notices);
			expect(rest).toEqual(expected);
		},
	);

	test('notices one when what seemed to be alone gets through, one at a time', () => {
		const notices = (request: PacedRequest, current: number, isItself = true) =>
			judge.noticesMissedLimit(begin(request), isItself, limitOf(current));
		expect(notices(alone(), 1)).toBe(false);
		judge.gotThrough(begin(alone()), 0, true);
		expect(notices(alone(), 1)).toBe(true);
		const others = [notices(alone(), 2), notices(alone(), 1, false), notices(a('/0/'), 1)];
		expect(others).toEqual([false, false, false]);
	});

	test.each([false, true])('lets reads stand for writes until one was seen: %p', (isSeen) => {
		const write = retried(a('/1/', 'PUT'));
		if (isSeen) judge.seeLimit();
		pushBack(begin(write));
		for (let at = 50; at <= 250; at += 50) judge.gotThrough(begin(a('/0/'), true, at), at, true);
		expect(write.isAlone).toBe(!isSeen);
	});

	test('takes a row for alone when what decides gets through, and nothing else', () => {
		const row = [a('/1/'), a('/2/'), a('/3/')];
		const decider = begin(a('/4/'));
		pushBack(...row.map((request) => begin(request)));
		judge.decider = decider;
		judge.gotThrough(begin(a('/5/')), 0, true);
		expect(row.filter((request) => request.isAlone)).toEqual([]);
		judge.gotThrough(decider, 0, true);
		judge.decider = undefined;
		expect(row.filter((request) => request.isAlone)).toEqual(row);
		expect(judge.pushedBack(begin(a('/6/')), 0, 0)).toBe(false);
	});

	test('learns nothing from what was under way when a limit showed', () => {
		const [late, later] = [begin(a('/1/')), begin(a('/2/'))];
		judge.seeLimit();
		judge.gotThrough(late, 0, true);
		expect(judge.isScouting).toBe(true);
		expect(judge.pushedBack(later, 0, 0)).toBe(false);
		expect(judge.pushedBack(begin(a('/2/')), 0, 0)).toBe('undecided');
	});

	test('compares a retry with reads when nobody else sends any', () => {
		const until = () => judge.untilComparison(100);
		pushBack(begin(retried(a('/1/'))));
		expect(until()).toBe(Infinity);
		judge.gotThrough(begin(a('/0/')), 0, true);
		expect(until()).toBe(-40);
		for (const [flight, expected] of [
			[begin(alone()), -40],
			[begin(a('/2/')), Infinity],
			[begin(alone(), true), Infinity],
		] as const) {
			flights.add(flight);
			expect(until()).toBe(expected);
			flights.end(flight, 0);
		}
	});

	describe('compares what was pushed back with what others', () => {
		let evidence: PushBackEvidence;
		beforeEach(() => {
			evidence = new PushBackEvidence();
		});
		const bounds = { ...BOUNDS, maxRetries: 1 };
		const retry = () => retried(new PacedRequest('GET', '/1/', bounds));
		const pushBack = (requests: PacedRequest[], counts = false) => {
			for (const flight of requests.map((request) => begin(request))) {
				evidence.pushedBack(flight, flights.begun, 0, counts);
			}
		};
		const getThrough = (...times: number[]) => {
			for (const at of times) evidence.gotThrough(begin(a('/0/'), false, at), at);
		};

		test.each([
			[[50, 100, 150, 250], false, false],
			[[50, 100, 150, 200, 249], true, false],
			[[50, 100, 150, 200, 250], true, true],
			[[250, 500, 750, 1_000, 1_250], true, true],
			[[251, 260, 270, 280, 600], false, false],
		])('get through at %j: alone %p, shown %p', (times, isAlone, isGivenUp) => {
			const request = retry();
			pushBack([request]);
			getThrough(...times);
			expect([request.isAlone, request.isGivenUp]).toEqual([isAlone, isGivenUp]);
		});

		test('have got through since, and shows nothing by a first try', () => {
			const before = Array.from({ length: 5 }, () => begin(a('/0/')));
			const first = Object.assign(retry(), { pushBacks: 1 });
			pushBack([first]);
			for (const flight of before) evidence.gotThrough(flight, 250);
			expect(first.isAlone).toBe(false);
			getThrough(50, 100, 150, 200, 250);
			expect([first.isAlone, first.isGivenUp]).toEqual([true, false]);
		});

		test('are asked for: the same counts once, until as many got through', () => {
			const looks = [[], [1], [], [1], []].map((times) => {
				if (times.length === 0) pushBack([a('/1/')]);
				getThrough(...times);
				return evidence.looksLikeLimit(true);
			});
			expect(looks).toEqual([true, false, false, false, true]);
		});

		test('took to be alone, until one of them is not, or a limit explains it', () => {
			const [one, other] = [retry(), retry()];
			pushBack([one], true);
			expect(one.isGivenUp).toBe(true);
			evidence.confirm();
			expect(one.isGivenUp).toBe(false);
			pushBack([one, other]);
			getThrough(50, 100, 150, 200, 249);
			expect(other.isAlone).toBe(true);
			evidence.forget(one);
			expect(other.isAlone).toBe(false);
		});
	});
});
