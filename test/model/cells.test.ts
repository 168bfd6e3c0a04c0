import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { PLAIN_WORDS } from '../engine/support/hostile';
import { runNode } from '../harness';
import { deadline, isMoment } from './deadline';
import { dateCell, idCell, idsCell, tagsCell, ZONES } from './cells';
import { id, ids } from './ids';
import { isEmptyCell, type Meaning, trimmed } from './meaning';
import { report, settings } from './report';
import { startService } from './service';
import { tags } from './tags';

const CELLS = Number(process.env.CASES ?? 80);
const PER_RUN = 40;

jest.setTimeout(36_000_000);

let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
	service = await startService();
	service.state.otherwise = (number) => ({ id: number, name: 'Any' });
});
afterAll(async () => await service.close());

const locator = (value: string, mode = 'id') => ({ __rl: true, mode, value });

async function run(parameters: INodeParameters, items: IDataObject[], timezone?: string) {
	service.state.log = [];
	const { outputs, error } = await runNode({
		parameters: { resource: 'instance', ...parameters },
		items,
		onError: 'continueErrorOutput',
		credentials: { baseUrl: service.baseUrl, apiKey: 'key-of-the-model' },
		timezone,
	});
	if (error) throw new Error(`stopped: ${error.message}`);
	return outputs;
}

const pairs = ({ pairedItem }: INodeExecutionData): number[] =>
	[pairedItem].flat().map((pair) => (typeof pair === 'object' ? pair.item : Number(pair)));

const messageOf = (item: INodeExecutionData | undefined): string | undefined =>
	item && String(item.json.error ?? item.error?.message);

/** What came of a cell: what was sent for it, or the message that refused it. */
interface Observed {
	sent?: unknown;
	message?: string;
}

function judge<T>(
	kind: string,
	cell: unknown,
	meaning: Meaning<T>,
	label: RegExp,
	fits: (sent: unknown, value: T) => boolean,
	{ sent, message }: Observed,
) {
	const expected = JSON.stringify(meaning);
	if (message !== undefined) {
		if (!PLAIN_WORDS.test(message)) report(kind, 'sounds like an accusation', cell, '', message);
		if (isEmptyCell(cell) || meaning.isEmpty) return;
		if (!meaning.isRefused) return report(kind, 'refused a valid cell', cell, expected, message);
		if (!label.test(message)) return report(kind, 'names no label', cell, expected, message);
		return;
	}
	if (sent === undefined) return report(kind, 'item dropped', cell, expected, 'nothing came out');
	if (!meaning.values.some((value) => fits(sent, value))) {
		report(
			kind,
			meaning.values.length === 0 ? 'accepted an invalid cell' : 'sent another value',
			cell,
			expected,
			sent,
		);
	}
}

const EVERYTHING_ELSE = {
	process: ['name', 'deadline', 'priority', 'tags', 'stepAssignments'],
};

/** Runs cells of one field of Update, many in one execution, each alone in its PUT. */
async function update(field: string, cells: unknown[], timezone?: string): Promise<Observed[]> {
	const items = cells.map(
		(cell, at) => ({ id: at + 1, ...(cell !== undefined && { cell }) }) as IDataObject,
	);
	const [done = [], failed = []] = await run(
		{
			operation: 'update',
			instanceId: locator('={{ $json.id }}'),
			updateFields: { process: locator('3'), [field]: '={{ $json.cell }}' },
			clearFields: EVERYTHING_ELSE.process.filter((name) => name !== field),
		},
		items,
		timezone,
	);
	const puts = new Map(
		service.state.log.map(({ path, body }) => [Number(path.split('/')[3]), body]),
	);
	expect(service.state.log.every(({ method }) => method === 'PUT')).toBe(true);
	return items.map((_, at) => {
		const error = failed.find((item) => pairs(item).includes(at));
		const item = done.find((one) => pairs(one).includes(at));
		if (error && puts.has(at + 1)) throw new Error('sent and refused');
		return error ? { message: messageOf(error) } : { sent: item && puts.get(at + 1)?.[field] };
	});
}

const lists = (cell: fc.Arbitrary<unknown>) =>
	fc.array(cell, { minLength: PER_RUN, maxLength: PER_RUN });
const check = async (
	property: fc.IAsyncProperty<[unknown[]]> | fc.IAsyncProperty<[unknown[], string]>,
	share = 1,
) =>
	await fc.assert(property as fc.IAsyncProperty<[unknown[]]>, settings((CELLS * share) / PER_RUN));

test('tags', async () => {
	// Whether what is not seen at the ends of a tag is sent is not said.
	const spelled = (value: unknown) =>
		JSON.stringify([
			...new Set(
				[value]
					.flat()
					.map((tag) => trimmed(String(tag)).normalize('NFC'))
					.filter(Boolean),
			),
		]);
	await check(
		fc.asyncProperty(lists(tagsCell), async (cells) => {
			const observed = await update('tags', cells);
			observed.forEach((one, at) =>
				judge(
					'tags',
					cells[at],
					tags(cells[at]),
					/Replace Tags|Empty Values/,
					(sent, value) => spelled(sent) === spelled(value),
					one,
				),
			);
		}),
	);
});

test('deadlines', async () => {
	await check(
		fc.asyncProperty(lists(dateCell), fc.constantFrom(...ZONES), async (cells, zone) => {
			const observed = await update('deadline', cells, zone);
			observed.forEach((one, at) =>
				judge(
					`deadline in ${zone}`,
					cells[at],
					deadline(cells[at], zone),
					/Deadline|Empty Values/,
					isMoment,
					one,
				),
			);
		}),
	);
});

test('IDs of one instance', async () => {
	await check(
		fc.asyncProperty(
			lists(idCell(() => service.baseUrl)),
			fc.constantFrom('id', 'url'),
			async (cells, mode) => {
				const items = cells.map((cell) => (cell === undefined ? {} : { cell }) as IDataObject);
				const [done = [], failed = []] = await run(
					{ operation: 'get', instanceId: locator('={{ $json.cell }}', mode) },
					items,
				);
				items.forEach((_, at) => {
					const error = failed.find((item) => pairs(item).includes(at));
					const item = done.find((one) => pairs(one).includes(at));
					const observed = error ? { message: messageOf(error) } : { sent: item?.json.id };
					judge(
						`id (${mode})`,
						cells[at],
						id(cells[at], 'instances', service.baseUrl),
						/Instance/,
						Object.is,
						observed,
					);
				});
			},
		),
	);
});

const sorted = (list: unknown) => JSON.stringify([list].flat().sort());

test('lists of IDs by expression', async () => {
	await check(
		fc.asyncProperty(lists(idsCell(() => service.baseUrl)), async (cells) => {
			const items = cells.map((cell) => (cell === undefined ? {} : { cell }) as IDataObject);
			const [done = [], failed = []] = await run(
				{ operation: 'bulkDelete', instanceIds: '={{ $json.cell }}' },
				items,
			);
			const deleted = service.state.log.flatMap(({ body }) => [body?.ids].flat()).sort();
			expect(done.map(({ json }) => json.id).sort()).toEqual(deleted);
			items.forEach((_, at) => {
				const error = failed.find((item) => pairs(item).includes(at));
				const listed = done.filter((item) => pairs(item).includes(at)).map(({ json }) => json.id);
				const observed = error ? { message: messageOf(error) } : { sent: listed };
				judge(
					'ids by expression',
					cells[at],
					ids(cells[at], true, service.baseUrl),
					/Instance IDs/,
					(sent, value) => sorted(sent) === sorted(value),
					observed,
				);
			});
		}),
	);
});

test('lists of IDs that were typed in', async () => {
	await check(
		fc.asyncProperty(lists(idsCell(() => service.baseUrl)), async (cells) => {
			for (const cell of cells.slice(0, 8)) {
				if (typeof cell !== 'string' || cell.startsWith('=') || cell.trim() === '') continue;
				const [done = [], failed = []] = await run({ operation: 'bulkDelete', instanceIds: cell }, [
					{},
				]);
				const observed = failed[0]
					? { message: messageOf(failed[0]) }
					: { sent: done.map(({ json }) => json.id) };
				judge(
					'ids typed in',
					cell,
					ids(cell, false, service.baseUrl),
					/Instance IDs/,
					(sent, value) => sorted(sent) === sorted(value),
					observed,
				);
			}
		}),
	);
});
