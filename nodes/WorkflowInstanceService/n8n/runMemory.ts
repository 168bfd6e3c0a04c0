import type { IDataObject } from 'n8n-workflow';

import type { UserFacingError } from '../values/userFacingError';
import type { ItemResult } from './outputItems';

const MAX_LISTED = 500;

/** After these, a service may have done it to some of several instances. */
const PARTLY_DONE = ['absent', 'conflict', 'otherWebsite'];
/** By these, a service or a gateway says that it did not do it. */
const REJECTIONS = ['absent', 'conflict', 'forbidden', 'key', 'otherWebsite', 'rejected'];

function listed(label: string, ids: readonly number[]): string {
	if (ids.length === 0) return '';
	const more = ids.length > MAX_LISTED ? ` and ${ids.length - MAX_LISTED} more` : '';
	return `${label}: ${ids.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

/** What became of instances, by ID. The attempts of Retry On Fail share it. */
export class RunMemory {
	/** What requests may have done: it stays in doubt, whatever later attempts meet, until it is done. */
	readonly mayBeDone = new Set<number>();
	private readonly done = new Set<number>();
	private readonly rejected = new Set<number>();
	/** By instance and the first of its items. */
	private readonly results = new Map<string, ItemResult[]>();

	/** Whether nothing was done, or may have been. */
	get isUntouched(): boolean {
		return this.done.size + this.mayBeDone.size === 0;
	}

	/** What came of it when it was done for an instance and its items; it must not be done again. */
	resultsOf(id: number, items: readonly number[]): ItemResult[] | undefined {
		return this.results.get(`${id} ${items[0]}`);
	}

	noteDone(id: number, items: readonly number[], results: ItemResult[]): void {
		this.done.add(id);
		this.mayBeDone.delete(id);
		this.results.set(`${id} ${items[0]}`, results);
	}

	/** What is neither done, in doubt nor rejected was not sent. */
	noteFailure(ids: readonly number[], { kind }: UserFacingError): void {
		const isPartlyDone = ids.length > 1 && PARTLY_DONE.includes(kind);
		for (const id of ids) {
			// What another item has changed before is not what this one meant.
			if (kind !== 'unsent') this.done.delete(id);
			if (isPartlyDone) this.mayBeDone.add(id);
			else if (REJECTIONS.includes(kind)) this.rejected.add(id);
		}
	}

	/** What became of IDs, in words and for the details of an error. `done` is e.g. `Updated`. */
	report(ids: readonly number[], done: string): { words: string; details: IDataObject } {
		const doneIds = ids.filter((id) => this.done.has(id));
		const rest = ids.filter((id) => !this.done.has(id));
		const unknownIds = rest.filter((id) => this.mayBeDone.has(id));
		const certain = rest.filter((id) => !this.mayBeDone.has(id));
		const rejectedIds = certain.filter((id) => this.rejected.has(id));
		const notSentIds = certain.filter((id) => !this.rejected.has(id));
		const sentences = [
			listed(`${done} (${doneIds.length} of ${ids.length})`, doneIds),
			listed('Rejected', rejectedIds),
			listed('Unknown', unknownIds),
			listed('Not sent', notSentIds),
		];
		return {
			words: sentences.filter(Boolean).join(' '),
			details: { [`${done.toLowerCase()}Ids`]: doneIds, rejectedIds, unknownIds, notSentIds },
		};
	}
}
