import { expressionEngine } from '../harness';
import { describeFaultTable, SAMPLE } from './support/faultTable';

jest.setTimeout(300_000);

describe('every operation under every condition, with every setting', () => {
	// The engine for expressions has no part in requests, so the whole is observed on one of them; of
	// other versions of n8n (test/matrix) a sample shows that they act alike.
	const isSample = expressionEngine() === 'vm' || process.env.FAULT_TABLE === 'sample';
	describeFaultTable(isSample ? SAMPLE : undefined);
});
