import type { FaultAction, FaultRule, QueuedFault } from './faultTypes';

export type * from './faultTypes';

/** User assignment of one step. */
export interface StepAssignment {
	step_id: number;
	user_id: number;
}

export type Priority = 'V' | 'H' | null;

/** The six properties that a client may set (interface, part 2). Only `process` is required. */
export interface InstanceUpdate {
	process: string;
	name?: string | null;
	deadline?: string | null;
	priority?: Priority;
	tags?: string[];
	step_assignments?: StepAssignment[];
}

/** An instance as the service answers it (interface, part 2), with absolute resource URIs. */
export interface Instance extends Required<InstanceUpdate> {
	url: string;
	id: number;
	started_time: string;
	completed_time: string | null;
	aborted_time: string | null;
	last_updated_time: string;
	process_snapshot: string;
	active_step_ids: number[];
	step_deadlines: string;
	public_url: string;
	stage: string;
}

/** An instance as the store keeps it: no URIs, because those depend on the address of the service. */
export interface StoredInstance {
	id: number;
	processId: number;
	name: string | null;
	deadline: string | null;
	priority: Priority;
	tags: string[];
	stepAssignments: StepAssignment[];
	startedTime: string;
	completedTime: string | null;
	abortedTime: string | null;
	lastUpdatedTime: string;
	/** How many steps of the process are done, from the first step on. */
	stepsDone: number;
	publicToken: string;
}

/** What `process_snapshot` and `step_deadlines` are answered as; the interface says text. */
export type SnapshotShape = 'text' | 'object' | 'array';

/** The limit of requests; requests above it are answered 429. */
export interface RateLimit {
	/** Requests let through in any one second. */
	perSecond: number;
	/** How the answer names the waiting time. Default `seconds`. */
	retryAfter?: 'seconds' | 'date' | 'none';
	/** Waiting time to name, in seconds. Default: the time until the next request is let through. */
	retryAfterSeconds?: number;
}

/** One request as it was received. The value of the Authorization header is never kept. */
export interface LogEntry {
	/** 1 for the first request since the log was cleared. */
	seq: number;
	method: string;
	/** Path with query, as sent. */
	url: string;
	/** Headers with lower-case names, without `authorization`. */
	headers: Record<string, string | string[]>;
	/** Whether the Authorization header held exactly the good key. */
	authorized: boolean;
	/** Body text as sent, empty when there was none. */
	body: string;
	/** Milliseconds since the epoch. */
	receivedAt: number;
	/** Milliseconds since the epoch; null while there is no answer (yet). */
	answeredAt: number | null;
	/** Status answered; null while there is no answer (yet), and for good after a reset. */
	status: number | null;
	/** The kind of misbehaviour applied, `rateLimit` included; null for a proper answer. */
	fault: FaultAction['type'] | 'rateLimit' | null;
}

/** Counters since the log was cleared. */
export interface SandboxStats {
	requests: number;
	/** Requests under `/api` being handled now. */
	inFlight: number;
	/** Most requests under `/api` ever handled at a time. */
	maxInFlight: number;
	/** Answers per status, such as `{ "200": 12, "429": 1 }`. */
	byStatus: Record<string, number>;
}

/** The settings that last until they are changed. */
export interface SandboxSettings {
	/** Milliseconds that every answer under `/api` takes. */
	latencyMs: number;
	rateLimit: RateLimit | null;
	snapshotShape: SnapshotShape;
}

/** The means to watch the sandbox and to make it misbehave. Also reachable over HTTP at `/control`. */
export interface SandboxControl {
	settings(): SandboxSettings;
	/** Changes the settings given, leaves the others. Throws RangeError on a value out of bounds. */
	configure(changes: Partial<SandboxSettings>): SandboxSettings;
	setLatency(milliseconds: number): void;
	setRateLimit(limit: RateLimit | null): void;
	setSnapshotShape(shape: SnapshotShape): void;

	/** Adds a rule at the end of the queue; the first rule that applies wins. Gives the rule's id. */
	addFault(rule: FaultRule): number;
	/** The rules that still can apply. */
	faults(): QueuedFault[];
	clearFaults(): void;

	/** Everything as it was when the sandbox started: data, settings, faults, log, counters. */
	reset(): void;
	/** The seeded instances only, as they were when the sandbox started. */
	reseed(): void;
	/** Adds running instances (1 to 20,000 a call). Gives their ids. */
	addInstances(count: number): number[];
	/** One instance as stored, as a plain GET would answer it; undefined when there is none. */
	instance(id: number): Instance | undefined;
	/** Ids of all instances, ascending. */
	ids(): number[];

	/** The requests received, oldest first, those to `/control` left out. */
	log(): LogEntry[];
	stats(): SandboxStats;
	/** Forgets the log and sets the counters to zero. */
	clearLog(): void;
}

export interface SandboxOptions {
	/** Port on 127.0.0.1; 0 (the default) takes any free one. */
	port?: number;
	/** The good key. Default `sandbox-key`. */
	apiKey?: string;
	/** A key that is known but may do nothing (403). Default `sandbox-forbidden-key`. */
	forbiddenKey?: string;
	/** The service's time at its start; its clock runs on from there. Default: the present. */
	now?: Date;
}

/** A running sandbox. */
export interface SandboxHandle {
	/** `http://127.0.0.1:<port>/api` */
	baseUrl: string;
	/** `http://127.0.0.1:<port>` */
	url: string;
	port: number;
	apiKey: string;
	forbiddenKey: string;
	control: SandboxControl;
	/** Stops at once: open connections are destroyed, unanswered requests too. */
	close(): Promise<void>;
}
