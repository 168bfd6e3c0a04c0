import { PacedRequest } from '../../nodes/WorkflowInstanceService/api/pace/pacedRequest';
import { SharedPause } from '../../nodes/WorkflowInstanceService/api/pace/pause';
import { VirtualClock } from '../harness/virtualClock';

const BOUNDS = { maxConcurrentRequests: 1, maxRetries: 2, maxWait: 1 };
const clock = new VirtualClock({ luck: () => 0.5 });

describe('the pause of all runs', () => {
	let pause: SharedPause;
	beforeEach(() => {
		pause = new SharedPause(clock);
	});
	const lengthOf = (asked: number, pushBacks = 1) => {
		pause.begin(asked, { at: clock.now(), pushBacks });
		return pause.rest;
	};

	test('is as long as asked, longer by chance, and none is cut short', () => {
		expect([lengthOf(40_000), lengthOf(1_000)]).toEqual([42_000, 42_000]);
	});

	test('doubles where the service does not say, but for what is often pushed back', async () => {
		const lengths = [lengthOf(0), lengthOf(1_100), lengthOf(0), lengthOf(0, 4), lengthOf(0)];
		expect(lengths).toEqual([1_050, 1_155, 2_100, 4_200, 4_200]);
		expect(lengthOf(0)).toBe(5_250);
		pause.relax();
		await clock.sleep(5_250);
		expect(lengthOf(0)).toBe(1_050);
	});

	test('is longer by more chance where nothing has got through for ten seconds', async () => {
		pause.stall();
		await clock.sleep(10_000);
		expect(lengthOf(100)).toBe(105);
		await clock.sleep(1_000);
		expect([lengthOf(100), lengthOf(4_000)]).toEqual([155, 4_700]);
	});
});

describe('a request', () => {
	const request = (pushBacks = 0, isExplained = false, isAlone = false) => {
		const one = new PacedRequest('GET', '/1/', BOUNDS);
		if (isAlone) one.suspect({ isOver: false });
		return Object.assign(one, { pushBacks, isExplained });
	};

	test('comes after those that were pushed back less often, if not by a limit', () => {
		const all = [
			request(1, true),
			request(),
			request(1),
			request(2, true),
			request(1, false, true),
		];
		expect(all.map((one) => one.levelBy(0))).toEqual([0, 1, 2, 4, 8]);
		expect([0.4, 0.6].map((chance) => request(1).levelBy(chance))).toEqual([2, 3]);
	});

	test('waits as long as it is asked to, and longer after ten push-backs', () => {
		const waits = [10, 11].map((pushBacks) => request(pushBacks).waitAfter(2_000, clock));
		expect(waits).toEqual([2_100, 10_500]);
		const patient = [request(10, false, true), request(11, false, true), request(11)];
		expect(patient.map(({ isPatient }) => isPatient)).toEqual([false, true, false]);
	});

	test('is given up by retries since it is alone', () => {
		const one = request();
		one.count();
		one.suspect({ isOver: false });
		one.count();
		one.suspect({ isOver: false });
		expect(one.isGivenUp).toBe(false);
		one.count();
		expect(one.isGivenUp).toBe(true);
	});

	test('is one of its own if it writes what others may write, too', () => {
		const write = new PacedRequest('POST', '/1/', BOUNDS);
		expect([request().key, write.key]).toEqual(['/1/', write]);
	});
});
