import { CELLS } from '../docs/faults/collect';
import { parsePage, render, withObserved } from '../docs/faults/page';
import { describeFaultTable, PAGE, REMAKE } from './support/faultTable';

jest.setTimeout(300_000);

describe('every operation under every condition, with every setting', () => {
	const observed = describeFaultTable(CELLS);

	test(`is all of docs/reliability.md. ${REMAKE}`, async () => {
		expect(render(withObserved(parsePage(''), await observed()))).toBe(PAGE);
	});
});
