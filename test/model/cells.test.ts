import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CLEARABLE } from '../../nodes/WorkflowInstanceService/instance/update/changes';
import { PLAIN_WORDS, settings } from '../engine/support/hostile';
import { ID_OF_ITEM, locator } from '../engine/support/sandbox';
import { runNode } from '../harness';
import { dateCell, idCell, idsCell, tagsCell, ZONES } from './cells';
import { deadline, isMoment } from './deadline';
import { id, ids } from './ids';
import { type Meaning, same, valuesOf } from './meaning';
import { inputsOf, useServer } from './service';
import { sameTag, tags } from './tags';

const CELLS = Number(process.env.CASES ?? 80);
/** How many items, each with one cell, are in one execution. */
const PER_RUN = 40;

const start = useServer();

const spelled = (list: unknown) => (Array.isArray(list) ? list.map(sameTag) : list);
const areTags = (value: unknown, example: unknown) => same(spelled(value), spelled(example));

/** A service that has every instance, accepts every value, and remembers which instances it deleted. */
function startRun() {
	const deleted: number[] = [];
	const credentials = start(({ method, id: one, sent }) => {
		const body = sent === '' ? {} : JSON.parse(sent);
		if (method !== 'POST') return [200, JSON.stringify({ id: one, process: 'x', ...body })];
		deleted.push(...body.ids);
		return [204, ''];
	});
	return { deleted, credentials };
}

/** The output field that shows the result of a cell, what messages call it if they refuse it, and what fits. */
type Field = [key: string, label: RegExp, fits: (seen: unknown[], value: unknown) => boolean];

/** Runs the node on cells, and checks the output for each, or the message that refused it. */
async function check(
	cells: unknown[],
	meanings: Array<Meaning<unknown>>,
	parameters: INodeParameters,
	[key, label, fits]: Field,
	run: ReturnType<typeof startRun>,
	timezone?: string,
): Promise<void> {
	run.deleted.length = 0;
	const { outputs, error } = await runNode({
		parameters,
		items: cells.map((cell, at): IDataObject => Object({ id: at + 1, cell })),
		onError: 'continueErrorOutput',
		credentials: run.credentials,
		timezone,
	});
	expect(error).toBeUndefined();
	const [done = [], failed = []] = outputs;
	cells.forEach((cell, at) => {
		const meaning = meanings[at] ?? [];
		const refused = failed.find((item) => inputsOf(item).includes(at));
		const seen = done.filter((item) => inputsOf(item).includes(at)).map(({ json }) => json[key]);
		const message = String(refused?.json.error ?? refused?.error?.message);
		const isRefused = meaning.some((one) => typeof one === 'string');
		const isFine = refused
			? isRefused && PLAIN_WORDS.test(message) && label.test(message)
			: valuesOf(meaning).some((value) => fits(seen, value));
		const [expected, actual] = [{ cell, meaning, timezone }, refused ? message : seen];
		if (!isFine) throw new Error(JSON.stringify({ expected, actual }, null, 1));
	});
	if (parameters.operation === 'bulkDelete')
		expect(sorted(run.deleted)).toEqual(sorted(done.map(({ json }) => json.id)));
}

const sorted = (list: unknown) =>
	[list]
		.flat()
		.map(Number)
		.sort((one, other) => one - other);
const IDS: Field = ['id', /Instance/, (seen, value) => same(sorted(seen), sorted(value))];
const TAGS: Field = ['tags', /Replace Tags|Empty Values/, ([seen], value) => areTags(seen, value)];
const DUE = /Deadline|Empty Values/;
const DEADLINE: Field = ['deadline', DUE, ([seen], value) => isMoment(seen, value)];

const CELL = '={{ $json.cell }}';
const get = (mode: 'id' | 'url') => ({ operation: 'get', instanceId: locator(CELL, mode) });
/** Changes one field, and clears the others. */
const update = (field: string) => ({
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { process: locator('3'), [field]: CELL },
	clearFields: CLEARABLE.map(({ form }) => form.name).filter((name) => name !== field),
	output: 'raw',
});

type Read = (cell: unknown, baseUrl: string, zone: string) => Meaning<unknown>;
const oneId: Read = (cell, baseUrl) => id(cell, 'instances', baseUrl);
const aDeadline: Read = (cell, _, zone) => deadline(cell, zone);

test.each<[string, INodeParameters, Field, typeof idCell, Read, times?: number]>([
	['the ID of one instance', get('id'), IDS, idCell, oneId],
	['the URL of one instance', get('url'), IDS, idCell, oneId],
	[
		'IDs by expression',
		{ operation: 'bulkDelete', instanceIds: CELL },
		IDS,
		idsCell,
		(cell, baseUrl) => ids(cell, true, baseUrl),
		// More cases, since whatever it accepts by mistake is deleted.
		25,
	],
	['tags', update('tags'), TAGS, () => tagsCell, tags],
	['deadlines', update('deadline'), DEADLINE, () => dateCell, aDeadline],
])(
	'%s',
	async (_, parameters, field, cell, read, times = 1) => {
		const run = startRun();
		const { baseUrl } = run.credentials;
		const cells = fc.array(cell(baseUrl), { minLength: PER_RUN, maxLength: PER_RUN });
		const property = fc.asyncProperty(cells, fc.constantFrom(...ZONES), async (all, zone) => {
			const meanings = all.map((one) => read(one, baseUrl, zone));
			await check(all, meanings, parameters, field, run, zone);
		});
		await fc.assert(property, settings((CELLS * times) / PER_RUN));
	},
	36_000_000,
);

test('IDs that are typed in', async () => {
	const run = startRun();
	const { baseUrl } = run.credentials;
	const isText = (cell: unknown) => typeof cell === 'string' && /^(?!=)[^]*\S/.test(cell);
	const property = fc.asyncProperty(idsCell(baseUrl).filter(isText), async (cell) => {
		const parameters = { operation: 'bulkDelete', instanceIds: String(cell) };
		await check([cell], [ids(cell, false, baseUrl)], parameters, IDS, run);
	});
	await fc.assert(property, settings(CELLS / 5));
}, 36_000_000);
