import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PLAIN_WORDS, settings } from '../engine/support/hostile';
import { runNode } from '../harness';
import { idCell, idsCell } from './cells';
import { id, ids } from './ids';
import { disagree } from './judge';
import { type Meaning, same, valuesOf } from './meaning';
import { inputsOf, useServer } from './service';

const CELLS = Number(process.env.CASES ?? 80);
/** How many items, with a cell each, are in one execution. */
const PER_RUN = 40;

const start = useServer();

const sorted = (list: unknown[]) => list.map(Number).sort((one, other) => one - other);

/** Runs the node on cells, and judges for each which IDs it came to, or the message that refused it. */
async function check(
	cells: unknown[],
	meanings: Array<Meaning<number[]>>,
	parameters: INodeParameters,
	run: ReturnType<typeof startRun>,
): Promise<void> {
	run.deleted.length = 0;
	const { outputs, error } = await runNode({
		parameters,
		items: cells.map((cell) => (cell === undefined ? {} : { cell }) as IDataObject),
		onError: 'continueErrorOutput',
		credentials: run.credentials,
	});
	expect(error).toBeUndefined();
	const [done = [], failed = []] = outputs;
	cells.forEach((cell, at) => {
		const meaning = meanings[at] ?? [];
		const refused = failed.find((item) => inputsOf(item).includes(at));
		const seen = done.filter((item) => inputsOf(item).includes(at)).map(({ json }) => json.id);
		const message = String(refused?.json.error ?? refused?.error?.message);
		const isFine = refused
			? meaning.includes('invalid') && PLAIN_WORDS.test(message) && /Instance/.test(message)
			: valuesOf(meaning).some((value) => same(sorted(value), sorted(seen)));
		if (!isFine) disagree('another list of IDs', { cell, meaning }, refused ? message : seen);
	});
	if (parameters.operation === 'bulkDelete')
		expect(sorted(run.deleted)).toEqual(sorted(done.map(({ json }) => json.id)));
}

/** A service that has every instance, and keeps which ones it deleted. */
function startRun() {
	const deleted: number[] = [];
	const credentials = start(({ method, id: one, sent }) => {
		if (method !== 'POST') return [200, JSON.stringify({ id: one, name: 'Any' })];
		deleted.push(...JSON.parse(sent).ids);
		return [204, ''];
	});
	return { deleted, credentials };
}

const locator = (mode: string) => ({ __rl: true, mode, value: '={{ $json.cell }}' });
const oneId = (cell: unknown, baseUrl: string): Meaning<number[]> =>
	id(cell, 'instances', baseUrl).map((one) =>
		typeof one === 'object' ? { value: [one.value] } : one,
	);

test.each<[string, INodeParameters, typeof idCell, typeof oneId]>([
	['the ID of one instance', { operation: 'get', instanceId: locator('id') }, idCell, oneId],
	['the URL of one instance', { operation: 'get', instanceId: locator('url') }, idCell, oneId],
	[
		'IDs by expression',
		{ operation: 'bulkDelete', instanceIds: '={{ $json.cell }}' },
		idsCell,
		(cell, baseUrl) => ids(cell, true, baseUrl),
	],
])(
	'%s',
	async (_, parameters, cell, meaningOf) => {
		const run = startRun();
		const { baseUrl } = run.credentials;
		const cells = fc.array(cell(baseUrl), { minLength: PER_RUN, maxLength: PER_RUN });
		const property = fc.asyncProperty(cells, async (all) => {
			await check(
				all,
				all.map((one) => meaningOf(one, baseUrl)),
				parameters,
				run,
			);
		});
		await fc.assert(property, settings(CELLS / PER_RUN));
	},
	36_000_000,
);

test('IDs that are typed in', async () => {
	const run = startRun();
	const { baseUrl } = run.credentials;
	const isText = (cell: unknown) => typeof cell === 'string' && /^(?!=)[^]*\S/.test(cell);
	const property = fc.asyncProperty(idsCell(baseUrl).filter(isText), async (cell) => {
		const parameters = { operation: 'bulkDelete', instanceIds: String(cell) };
		await check([cell], [ids(cell, false, baseUrl)], parameters, run);
	});
	await fc.assert(property, settings(CELLS / 5));
}, 36_000_000);
