import type { UpdateField } from '../field';
import { deadlineField } from './deadline';
import { nameField } from './name';
import { priorityField } from './priority';
import { processField } from './process';
import { stepAssignmentsField } from './stepAssignments';
import { tagsField } from './tags';

/** What clients can set, in the order of the form: an instance is rarely moved. The body of an update contains only these. */
export const FIELDS: readonly UpdateField[] = [
	nameField,
	deadlineField,
	priorityField,
	tagsField,
	stepAssignmentsField,
	processField,
];
