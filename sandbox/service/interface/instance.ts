/** User assignment of one step. */
export interface StepAssignment {
	step_id: number;
	user_id: number;
}

export type Priority = 'V' | 'H' | null;

/** What a client may set (docs/service-interface.md#update). Only `process` is required. */
export interface InstanceUpdate {
	process: string;
	name?: string | null;
	deadline?: string | null;
	priority?: Priority;
	tags?: string[];
	step_assignments?: StepAssignment[];
}

/** An instance (docs/service-interface.md#instance) as it is answered, with absolute URIs. */
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
