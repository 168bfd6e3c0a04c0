/** User assignment of one step. */
export interface StepAssignment {
	step_id: number;
	user_id: number;
}

/** What a client may set (docs/service-interface.md#update). */
export interface SettableProperties {
	process: string;
	name: string | null;
	deadline: string | null;
	priority: 'V' | 'H' | null;
	tags: string[];
	step_assignments: StepAssignment[];
}

/** The body of an update: a property left out takes its default. */
export type InstanceUpdate = Pick<SettableProperties, 'process'> & Partial<SettableProperties>;

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
