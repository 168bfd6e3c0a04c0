import type { Instance, SettableValues } from '../interface/instance';

type Times = Pick<
	Instance,
	'started_time' | 'completed_time' | 'aborted_time' | 'last_updated_time'
>;

/** An instance as the store keeps it: no URIs, because those depend on the address of the service. */
export interface StoredInstance {
	id: number;
	processId: number;
	settable: SettableValues;
	times: Times;
	/** How many steps of the process are done, from the first step on. */
	stepsDone: number;
	publicToken: string;
}

/** What people do to an instance in the service. */
export interface Change extends Partial<SettableValues> {
	/** `running` reopens one that is finished. */
	state?: 'running' | 'completed' | 'aborted';
	stepsDone?: number;
}
