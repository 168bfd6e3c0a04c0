import { createContract, SEED } from '../../sandbox/service';
import { InstanceStore } from '../../sandbox/service/data/store';
import { answerApi } from '../../sandbox/service/server/operations';

const ADDRESS = { origin: 'http://127.0.0.1:1', baseUrl: 'http://127.0.0.1:1/api' };

describe('the check of answers', () => {
	it('does not let an answer pass that the description does not know', () => {
		const store = new InstanceStore(Date.now());
		const context = {
			store,
			contract: createContract(ADDRESS),
			address: ADDRESS,
			snapshotShape: () => 'text' as const,
			unknownIds: () => 'passedOver' as const,
			apiKey: 'key',
			forbiddenKey: 'other',
			now: () => Date.now(),
		};
		const read = () =>
			answerApi(context, {
				method: 'GET',
				url: `/api/instances/${SEED.running}/`,
				headers: { authorization: 'Api-Key key' },
				body: '',
			});
		expect(read().status).toBe(200);

		const stored = store.find(SEED.running);
		if (stored) stored.name = 'x'.repeat(256);
		expect(read()).toMatchObject({
			status: 500,
			value: { detail: expect.stringContaining('body.name: must NOT have more than 255') },
		});
	});
});
