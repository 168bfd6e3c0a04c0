/** All fields of an instance (docs/dev/service-interface.md#instance), with their labels. */
export const INSTANCE_FIELDS = {
	aborted_time: 'Aborted Time',
	active_step_ids: 'Active Step IDs',
	completed_time: 'Completed Time',
	deadline: 'Deadline',
	id: 'ID',
	last_updated_time: 'Last Updated Time',
	name: 'Name',
	priority: 'Priority',
	process: 'Process',
	process_snapshot: 'Process Snapshot',
	public_url: 'Public URL',
	stage: 'Stage',
	started_time: 'Started Time',
	step_assignments: 'Step Assignments',
	step_deadlines: 'Step Deadlines',
	tags: 'Tags',
	url: 'URL',
} as const;

export type InstanceField = keyof typeof INSTANCE_FIELDS;
