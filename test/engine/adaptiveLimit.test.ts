import { AdaptiveLimit } from '../../nodes/WorkflowInstanceService/api/pace/adaptiveLimit';

const USUAL = 100;

describe('the adaptive limit', () => {
	let limit: AdaptiveLimit;
	beforeEach(() => {
		limit = new AdaptiveLimit();
	});
	/** Requests that are in flight together. */
	const send = (count: number) =>
		Array.from({ length: count }, (_, index) => limit.sent(index + 1));
	const answer = (windows: number[], latency = USUAL) =>
		windows.forEach((window) => limit.answered(window, latency));
	/** As many answers as make a window, so that the limit grows if it does. */
	const window = (latency: number) => answer(send(limit.current), latency);
	/** How much a window of answers lets a limit grow that no longer doubles. */
	const growth = (latency: number) => {
		const before = limit.current;
		window(latency);
		return limit.current - before;
	};
	/** Halves the limit, which ends the doubling. */
	const cut = () => {
		limit.sent(1);
		limit.halve();
	};

	test('counts no answers to what was sent before a push-back', () => {
		const sent = send(10);
		limit.halve();
		answer(sent.slice(1));
		answer(send(9));
		expect(limit.current).toBe(5);
		answer(send(5).slice(0, 1));
		expect(limit.current).toBe(6);
	});

	test('takes for slower only what was sent in the same window', () => {
		window(USUAL);
		const sent = send(30);
		answer(sent.slice(0, 20));
		answer(sent.slice(20), 10 * USUAL);
		answer(send(30));
		expect(limit.current).toBe(80);
	});

	test('grows when half of it is in use, and not when less is', () => {
		for (let times = 0; times < 3; times++) answer(send(4));
		expect(limit.current).toBe(10);
		for (let times = 0; times < 2; times++) answer(send(5));
		expect(limit.current).toBe(20);
	});

	test('spaces requests when one at a time is too many, and closes the gap again', () => {
		for (let times = 0; times < 3; times++) limit.lower();
		answer(send(1));
		expect(limit.spacing).toBe(0);
		limit.lower();
		expect(limit.spacing).toBeCloseTo(USUAL / 0.45);
		answer(send(1), 2 * USUAL);
		expect(limit.spacing).toBeCloseTo((1.2 * USUAL) / (0.45 * 1.03));
	});

	test('stops growing at half as slow again as usual, and a little', () => {
		window(USUAL);
		cut();
		expect([USUAL * 1.5, USUAL * 1.5 + 20].map(growth)).toEqual([1, 1]);
		expect(growth(USUAL * 1.5 + 60)).toBe(0);
	});

	test('gets used to a service that has become slower, in time', () => {
		const windowsAt = (latency: number) => Array.from({ length: 30 }, () => growth(latency));
		window(USUAL);
		for (let times = 0; times < 3; times++) cut();
		windowsAt(USUAL);
		expect(growth(USUAL * 2)).toBe(0);
		windowsAt(USUAL * 1.6);
		expect(growth(USUAL * 2)).toBe(1);
	});
});
