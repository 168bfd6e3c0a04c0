import { FIELDS } from './update/fields';

const READ_ONLY_FIELDS = {
	aborted_time: 'Aborted Time',
	active_step_ids: 'Active Step IDs',
	completed_time: 'Completed Time',
	id: 'ID',
	last_updated_time: 'Last Updated Time',
	process_snapshot: 'Process Snapshot',
	public_url: 'Public URL',
	stage: 'Stage',
	started_time: 'Started Time',
	step_deadlines: 'Step Deadlines',
	url: 'URL',
};

/** All fields of an instance (docs/dev/service-interface.md#instance), in the order of their labels. */
export const INSTANCE_FIELDS = [
	...Object.entries(READ_ONLY_FIELDS).map(([value, name]) => ({ name, value })),
	...FIELDS.map(({ key, label }) => ({ name: label, value: key })),
].sort((one, other) => one.name.localeCompare(other.name));

export const INSTANCE_KEYS = INSTANCE_FIELDS.map(({ value }) => value);
