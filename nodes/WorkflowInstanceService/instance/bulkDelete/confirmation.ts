import { rejects } from '../../api/rejection';
import { idFromUri } from '../../values/ids';
import { asObject, isObject } from '../../values/json';

type Ids = ReadonlySet<number>;

/** One of the things that a list, or an object with IDs for keys, tells of. */
interface Entry {
	id: number | undefined;
	/** What is said of it; undefined for an ID alone. */
	value: unknown;
}

const ID_KEYS = ['id', 'instance_id', 'instanceId', 'instance', 'pk', 'url'];
/** Keys under which services list what they have deleted, or say how many. */
const DELETED =
	/^((deleted|removed)(_?(ids|instances|items|count))?|succeeded|success(ful)?(_?ids)?)$/i;

/** The ID that something is about, if it is one of those that were sent. */
function idOf(value: unknown, ids: Ids): number | undefined {
	const object = asObject(value);
	const named: unknown[] = isObject(value) ? ID_KEYS.map((key) => object[key]) : [value];
	const numbers = named.map((each) =>
		['string', 'number'].includes(typeof each)
			? (idFromUri(each, 'instances') ?? Number(each))
			: NaN,
	);
	return numbers.find((number) => ids.has(number));
}

function entriesIn(value: unknown, ids: Ids): Entry[] {
	if (Array.isArray(value)) {
		return value.map((each: unknown) => ({
			id: idOf(each, ids),
			value: typeof each === 'object' ? each : undefined,
		}));
	}
	const entries = Object.entries(asObject(value)).map(([key, each]) => ({
		id: idOf(key, ids),
		value: each,
	}));
	return entries.every(({ id }) => id !== undefined) ? entries : [];
}

function openInEntry({ id, value }: Entry, ids: Ids): number[] {
	if (isObject(value)) return openInObject({ id, ...value }, ids);
	if (Array.isArray(value)) return openIn(value, '', ids);
	const isRefused = rejects('status', value) || rejects('deleted', value);
	return isRefused && id !== undefined ? [id] : [];
}

function openInList(entries: Entry[], key: string, ids: Ids): number[] {
	const refused = entries.flatMap((entry) => openInEntry(entry, ids));
	const confirmed = entries.flatMap(({ id = [] }) => id).filter((id) => !refused.includes(id));
	const missing = [...ids].filter((id) => !confirmed.includes(id) && !refused.includes(id));
	if (DELETED.test(key)) return [...refused, ...missing];
	return confirmed.length > 0 && missing.length > 0 ? [...ids] : refused;
}

/** The IDs that a rejection applies to: those it lists, or that of the object it's in, or all. */
function refusedIn(object: object, value: unknown, ids: Ids): number[] {
	const listed = entriesIn(value, ids).map(({ id }) => id);
	const known = listed.filter((id) => id !== undefined);
	if (known.length > 0 && known.length === listed.length) return known;
	return [idOf(object, ids) ?? [...ids]].flat();
}

function openInObject(object: object, ids: Ids): number[] {
	const isOne = idOf(object, ids) !== undefined;
	return Object.entries(object).flatMap(([key, value]: [string, unknown]) => {
		if (rejects(key, value)) return refusedIn(object, value, ids);
		// In what is about one ID, other numbers are no IDs.
		return isOne ? [] : openIn(value, key, ids);
	});
}

function openIn(value: unknown, key: string, ids: Ids): number[] {
	const entries = entriesIn(value, ids);
	if (entries.length > 0 || Array.isArray(value)) return openInList(entries, key, ids);
	if (isObject(value)) return openInObject(value, ids);
	const isNo = key === '' && (rejects('deleted', value) || rejects('status', value));
	const isFewer = DELETED.test(key) && typeof value === 'number' && value < ids.size;
	return isNo || isFewer ? [...ids] : [];
}

/**
 * The IDs that a response with success leaves open: where it names a refusal at any depth, or lists
 * what was deleted without some of those that were sent. All of them where it is not clear which.
 *
 * @param json the body, whose shape is not known (docs/service-interface.md#not-shown)
 */
export function openIds(json: unknown, ids: readonly number[]): Set<number> {
	return new Set(openIn(json, '', new Set(ids)));
}
