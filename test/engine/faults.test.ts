import { expressionEngine } from '../harness';
import { describeFaultTable, SAMPLE } from './support/faultTable';

jest.setTimeout(300_000);

describe('every operation under every condition, with every setting', () => {
	// The engine for expressions has no part in requests, so the whole is observed on one of them.
	describeFaultTable(expressionEngine() === 'vm' ? SAMPLE : undefined);
});
