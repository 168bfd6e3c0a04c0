/** The assignment of a user to a step. */
export interface StepAssignment {
	step_id: number;
	user_id: number;
}

/** What a client may set besides the process, named as in openapi.yaml. */
export interface SettableValues {
	name: string | null;
	deadline: string | null;
	priority: string | null;
	tags: string[];
	step_assignments: StepAssignment[];
}

/** Everything that a client may set. */
export interface SettableProperties extends SettableValues {
	process: string;
}

/** When things happened to an instance, in ISO 8601. */
export interface InstanceTimes {
	started_time: string;
	completed_time: string | null;
	aborted_time: string | null;
	last_updated_time: string;
}

/** An instance as it is returned, with absolute URIs. */
export interface Instance extends SettableProperties, InstanceTimes {
	url: string;
	id: number;
	process_snapshot: string;
	active_step_ids: number[];
	step_deadlines: string;
	public_url: string;
	stage: string;
}

/** An instance as the store keeps it: without URIs, which depend on the address of the service. */
export interface StoredInstance {
	id: number;
	processId: number;
	settable: SettableValues;
	times: InstanceTimes;
	/** How many steps of the process are done, from the first step on. */
	stepsDone: number;
}

/** What people change about an instance in the service. */
export interface Change extends Partial<SettableValues> {
	/** `running` reopens a finished instance. */
	state?: 'running' | 'completed' | 'aborted';
	stepsDone?: number;
}
