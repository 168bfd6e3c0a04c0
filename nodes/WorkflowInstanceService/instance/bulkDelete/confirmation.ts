import { rejects } from '../../api/rejectionInBody';
import { idFromUri } from '../../values/ids';
import { asObject } from '../../values/json';

/** Keys under which services list what they deleted, or say how much. */
const DELETED =
	/^((deleted|removed)(_?(ids|instances|items|count))?|succeeded|success(ful)?(_?ids)?)$/i;

/** The ID that an entry of a list is, or contains; NaN for anything else. */
function idOf(entry: unknown): number {
	const { id, instance_id, instance, url } = asObject(entry);
	const value = id ?? instance_id ?? instance ?? url ?? entry;
	return typeof value === 'object' ? NaN : (idFromUri(value, 'instances') ?? Number(value));
}

/** Whether a list, an object with IDs as keys, or a count leaves out some of the IDs. */
function isPartial(key: string, value: unknown, ids: ReadonlySet<number>): boolean {
	if (typeof value === 'number') return DELETED.test(key) && value < ids.size;
	if (typeof value !== 'object' || value === null) return false;
	const isList = Array.isArray(value);
	const entries: unknown[] = isList ? value : Object.keys(value);
	const listed = new Set(entries.map(idOf).filter((id) => ids.has(id)));
	return listed.size < ids.size && (listed.size > 0 || (isList && DELETED.test(key)));
}

/** Whether a 2xx response leaves open what was deleted (docs/dev/service-interface.md#undocumented). */
export function leavesOpen(json: unknown, sent: readonly number[]): boolean {
	const ids = new Set(sent);
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const found: Array<[key: string, value: unknown]> = [['', json]];
	for (const [key, value] of found) {
		const keys = key === '' || ids.has(Number(key)) ? ['status', 'deleted'] : [key];
		if (keys.some((each) => rejects(each, value)) || isPartial(key, value, ids)) return true;
		if (typeof value !== 'object' || value === null) continue;
		for (const entry of Object.entries(value)) found.push(entry);
	}
	return false;
}
