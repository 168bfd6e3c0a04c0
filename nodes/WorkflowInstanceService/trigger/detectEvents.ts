import type { IDataObject } from 'n8n-workflow';

import { pick, shortHash } from '../values/json';
import {
	type EventName,
	EVENTS,
	isFinished,
	type Observed,
	said,
	seconds,
	type Observation,
	type WatchedEvent,
} from './events';

/**
 * What is remembered of an instance: under the letter of each event what it observed last, under the
 * letter and `#` how often it has come or, if it recurs, what it had been before, under `b` when the
 * instance had last been updated at first sight, and `x` alone when it is not asked for any more.
 */
export type InstanceState = IDataObject;

/** One event at least. */
export type ChosenEvents = readonly [EventName, ...EventName[]];

export interface WatchSettings {
	events: ChosenEvents;
	emitFirst: boolean;
	keepFinished: boolean;
}

/** An event of an instance. */
export interface TriggerEvent {
	event: EventName;
	/** The same whenever the same change is told again, and no other change has it. */
	eventId: string;
	/** What changed, as `{ <field>: { from, to } }`. */
	changes: IDataObject;
}

/** What came of comparing an instance with what is remembered of it. */
export interface Detection {
	/** What to remember from now on. */
	entry: InstanceState;
	triggerEvents: TriggerEvent[];
	/** Whether something is remembered for the first time, so that it has to be saved. */
	isFirstSight: boolean;
}

const BASE = 'b';
const NOT_ASKED = 'x';
/** No event may have these. */
export const RESERVED_LETTERS = [BASE, NOT_ASKED];

/** Whether an instance is not asked for any more, since it was finished. */
export function isNoLongerWatched(entry: InstanceState | undefined): boolean {
	return entry !== undefined && Object.hasOwn(entry, NOT_ASKED);
}

function eventIdOf(id: number, event: EventName, parts: unknown[]): string {
	return `${id}-${event}-${shortHash([id, event, ...parts])}`;
}

function changesOf(
	{ field, show }: WatchedEvent,
	before: Observed,
	observation: Observation,
): IDataObject {
	if (field === undefined) return {};
	const from = before === undefined ? null : show(before);
	return { [field]: { from, to: said(observation, field) } };
}

/** What an event observed before, undefined when it is new, and what it observes now. */
interface Comparison {
	watched: WatchedEvent;
	before: Observed;
	now: Observed;
}

/** What came of comparing for one event. */
interface Finding {
	/** What to remember for it. */
	remembered: InstanceState;
	triggerEvent?: TriggerEvent;
	isFirstSight: boolean;
}

/** Whether there is nothing new; what a response does not say is no change. */
function isNothingNew({ watched: { identity }, before, now }: Comparison): boolean {
	return now === undefined || (before !== undefined && identity(before) === identity(now));
}

/** @param emitsState whether to tell what an instance is already */
function isEmitted({ watched, before, now }: Comparison, emitsState: boolean): boolean {
	if (before === undefined && !(emitsState && watched.isState)) return false;
	return watched.happens(before, now);
}

/** Whether an event tells a change, and no state that an instance can be in already. */
function isChange({ isState = false }: WatchedEvent): boolean {
	return !isState;
}

/** What is remembered of an event besides what it observed last. */
interface Past {
	/** How often a change was told. */
	count: number;
	/** The states before this one, of an event that recurs. */
	earlier: Observed[];
}

const pastKey = ({ letter }: WatchedEvent) => `${letter}#`;

function pastOf({ watched, before }: Comparison, known: InstanceState): Past {
	const past = known[pastKey(watched)];
	if (watched.recurs) return { count: 0, earlier: [past ?? [], before || []].flat() };
	return { count: Number(past ?? 0), earlier: [] };
}

/** What to remember of an event that observes something new. */
function renewed(
	{ watched, now }: Comparison,
	{ count, earlier }: Past,
	isTold: boolean,
): InstanceState {
	const { letter, isState } = watched;
	const past = isState ? earlier : count + Number(isTold);
	const isEmpty = isState ? earlier.length === 0 : past === 0;
	return { [letter]: now, ...(!isEmpty && { [pastKey(watched)]: past }) };
}

/** What tells an event of an instance from every other one of that name. */
function eventParts(
	{ watched, before, now }: Comparison,
	known: InstanceState,
	{ count, earlier }: Past,
): unknown[] {
	const { identity, isState } = watched;
	if (!isState) return [identity(before), identity(now), known[BASE] ?? null, count];
	// A moment tells itself apart from another one, but not from the same one before.
	const repeats = earlier.filter((each) => identity(each) === identity(now)).length;
	return [identity(now), ...(repeats > 0 ? [repeats] : [])];
}

/** What an event observes now; of a moment that some services leave out where it is null, null. */
function observedNow(watched: WatchedEvent, before: Observed, observation: Observation): Observed {
	const now = watched.observe(observation);
	const isFirst = before === undefined && observation.instance !== undefined;
	return now === undefined && isFirst ? watched.leftOut : now;
}

function detect(
	event: EventName,
	id: number,
	{ entry, observation }: { entry: InstanceState | undefined; observation: Observation },
	{ emitFirst }: WatchSettings,
): Finding {
	const watched: WatchedEvent = EVENTS[event];
	const known = entry ?? {};
	const before = known[watched.letter];
	const seen = { watched, before, now: observedNow(watched, before, observation) };
	const same = { remembered: pick(known, [watched.letter, pastKey(watched)]), isFirstSight: false };
	if (isNothingNew(seen)) return same;
	const isNew = before === undefined;
	const isTold = isEmitted(seen, emitFirst && entry === undefined);
	if (!isTold && !isNew && !watched.isRenewed?.(before, observation)) return same;
	const past = pastOf(seen, known);
	const remembered = renewed(seen, past, isTold);
	if (!isTold) return { remembered, isFirstSight: true };
	const eventId = eventIdOf(id, event, eventParts(seen, known, past));
	const triggerEvent = { event, eventId, changes: changesOf(watched, before, observation) };
	return { remembered, triggerEvent, isFirstSight: isNew };
}

/**
 * When the instance had last been updated before its changes were watched for, which tells them from
 * those that an earlier watch told. Never set later: a change must not be told again with another ID.
 */
function baseOf(
	known: InstanceState,
	observation: Observation,
	events: ChosenEvents,
): InstanceState {
	const changes: WatchedEvent[] = events.map((event) => EVENTS[event]).filter(isChange);
	const isWatched = changes.some(({ letter }) => Object.hasOwn(known, letter));
	if (isWatched || changes.length === 0) return pick(known, [BASE]);
	const updated = seconds(said(observation, 'last_updated_time'));
	return updated === undefined ? {} : { [BASE]: Math.floor(updated) };
}

/**
 * Compares what a poll saw of an instance with what is remembered of it. What is remembered changes
 * only with an event, or when it is seen for the first time: so a poll whose outcome is lost is made
 * good by the next one.
 *
 * @param entry what is remembered; undefined when the instance is seen for the first time
 */
export function detectEvents(
	id: number,
	entry: InstanceState | undefined,
	observation: Observation,
	settings: WatchSettings,
): Detection {
	const findings = settings.events.map((event) =>
		detect(event, id, { entry, observation }, settings),
	);
	const triggerEvents = findings.flatMap(({ triggerEvent }) => triggerEvent ?? []);
	const isFirstSight = findings.some((finding) => finding.isFirstSight);
	if (
		!settings.keepFinished &&
		observation.instance !== undefined &&
		isFinished(observation.instance)
	) {
		return { entry: { [NOT_ASKED]: 1 }, triggerEvents, isFirstSight };
	}
	const remembered = findings.map((finding) => finding.remembered);
	const base = baseOf(entry ?? {}, observation, settings.events);
	return { entry: Object.assign(base, ...remembered), triggerEvents, isFirstSight };
}
