/** User assignment of one step. */
export interface StepAssignment {
	step_id: number;
	user_id: number;
}

/** The value of a field. */
export type Value = boolean | number | object | string | null | undefined;

/**
 * What a client may set besides the process (docs/service-interface.md#update). openapi.yaml has all of
 * it; named here is what the sandbox or its users look into.
 */
export interface SettableValues {
	name: string | null;
	deadline: string | null;
	tags: string[];
	step_assignments: StepAssignment[];
	[field: string]: Value;
}

/** All that a client may set. */
export interface SettableProperties extends SettableValues {
	process: string;
}

/** An instance (docs/service-interface.md#instance) as it is returned, with absolute URIs. */
export interface Instance extends SettableProperties {
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
