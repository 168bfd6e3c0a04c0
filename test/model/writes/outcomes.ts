import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { runNode, type RunNodeOptions } from '../../harness';

/** What is reported about an instance. */
export type Verdict = 'done' | 'rejected' | 'unknown' | 'notSent';
export type Verdicts = Array<[id: number, verdict: Verdict]>;

const NAMES: Array<[start: RegExp, verdict: Verdict]> = [
	[/^(deleted|updated)(Ids)?$/i, 'done'],
	[/^rejected(Ids)?$/i, 'rejected'],
	[/^unknown(Ids)?$/i, 'unknown'],
	[/^not ?sent(Ids)?$/i, 'notSent'],
];

const listOf = (name: string, ids: unknown[]): Verdicts =>
	NAMES.filter(([start]) => start.test(name)).flatMap(([, verdict]) =>
		ids.map((id): [number, Verdict] => [Number(id), verdict]),
	);

/** The lists of IDs in a text, such as "Deleted (2 of 5): 1, 2. Not sent: 3." */
export function listsIn(text: string): Verdicts {
	const lists = text.matchAll(/\b([A-Z][a-z]+(?: sent)?)(?: \((\d+) of \d+\))?: (\d+(?:, \d+)*)/g);
	return [...lists].flatMap(([, name = '', count, list = '']) => {
		const ids = list.split(', ');
		expect(count ?? String(ids.length)).toBe(String(ids.length));
		return listOf(name, ids);
	});
}

/** The lists of IDs in the context of an error. */
export const listsOf = (context: IDataObject = {}): Verdicts =>
	Object.entries(context).flatMap(([key, ids]) => (Array.isArray(ids) ? listOf(key, ids) : []));

const detailsOf = ({ json }: INodeExecutionData): IDataObject => Object(json.details);

/** What an unsuccessful item says. */
export const textOf = (item: INodeExecutionData) =>
	[item.json.error ?? item.json.message, detailsOf(item).description].join(' ');

/** What a text says about the only instance that it's about. */
export const verdictsIn = (text: string): Verdict[] =>
	/may already have been|unknown/i.test(text) ? ['unknown'] : ['rejected', 'notSent'];

/** On the error output, n8n overwrites the fields of the item with those of the input. */
export const idOf = (item: INodeExecutionData) => Number(detailsOf(item).id ?? item.json.id);

export const sorted = <T>(values: Iterable<T>) => [...values].sort();

/** Runs the node with up to `maxTries` tries. Also returns what n8n shows and logs besides the items. */
export async function run(maxTries: number, options: RunNodeOptions) {
	const logger = Container.get(Logger);
	const spies = (['info', 'warn', 'error'] as const).map((level) => jest.spyOn(logger, level));
	const result = await runNode({ ...options, retryOnFail: maxTries > 1, maxTries });
	const lines = spies.flatMap(({ mock }) => mock.calls.map(([line]) => String(line)));
	jest.restoreAllMocks();
	return { ...result, lines };
}
