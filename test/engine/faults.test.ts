import { CELLS, SAMPLE } from '../docs/faults/collect';
import { describeFaultTable } from './support/faultTable';

describe('a sample of all operations, conditions and settings', () => {
	describeFaultTable(SAMPLE);

	test('has each condition, and each operation with each setting', () => {
		const conditionsOf = (cells: typeof CELLS) => new Set(cells.map(({ condition }) => condition));
		const columnsOf = (cells: typeof CELLS) =>
			new Set(cells.map(({ scenario, setting }) => `${scenario.title}, ${setting}`));
		expect(conditionsOf(SAMPLE)).toEqual(conditionsOf(CELLS));
		expect(columnsOf(SAMPLE)).toEqual(columnsOf(CELLS));
	});
});
