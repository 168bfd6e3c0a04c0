import { describeFaultTable, SAMPLE } from './support/faultTable';

jest.setTimeout(300_000);

describe('every operation under every condition, with every setting', () => {
	// Of other versions of n8n (test/matrix) a sample shows that they act alike.
	describeFaultTable(process.env.FAULT_TABLE === 'sample' ? SAMPLE : undefined);
});
