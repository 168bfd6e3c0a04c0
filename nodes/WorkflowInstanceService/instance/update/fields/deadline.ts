import { DateTime } from 'luxon';

import { parseDeadline } from '../../../values/deadline';
import type { UpdateField } from '../field';

export const deadlineField: UpdateField = {
	key: 'deadline',
	label: 'Deadline',
	clear: { value: null },
	// The same moment may be written in several time zones.
	compareAs: (value) => DateTime.fromISO(String(value), { zone: 'UTC' }).toISO(),
	form: {
		displayName: 'Deadline',
		name: 'deadline',
		type: 'dateTime',
		default: '',
		description:
			"When the instance should be completed. Times without an offset use the workflow's time zone.",
		hint: "Uses the workflow's time zone. A date without a time means 00:00 at the start of that day.",
	},
	read: ({ value, label, timezone }) => ({ value: parseDeadline(value, label, timezone) }),
};
