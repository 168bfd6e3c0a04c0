import type { IDataObject } from 'n8n-workflow';

import { notValid, trimmed } from '../../../values/userFacingError';
import type { UpdateField } from '../field';

/** By the values of the form and its labels, in lower case. Regular leaves the key out. */
const PRIORITIES: IDataObject = { regular: undefined, h: 'H', high: 'H', v: 'V', 'very high': 'V' };

/** A forgotten choice must not lower a priority. */
const NOT_CHOSEN = '';

export const priorityField: UpdateField = {
	key: 'priority',
	label: 'Priority',
	clear: { value: null },
	form: {
		displayName: 'Priority',
		name: 'priority',
		type: 'options',
		options: [
			{ name: 'Regular', value: 'regular', description: 'Returned as null' },
			{ name: 'High', value: 'H', description: 'Returned as H' },
			{ name: 'Very High', value: 'V', description: 'Returned as V' },
		],
		allowArbitraryValues: true,
		default: NOT_CHOSEN,
		description:
			'The new priority of the instance. An expression may return Regular, High (H) or Very High (V).',
	},
	read({ value, label }) {
		const text = typeof value === 'string' ? trimmed(value).toLowerCase() : '';
		if (Object.hasOwn(PRIORITIES, text)) return { value: PRIORITIES[text] };
		const advice = 'Use Regular, High (H) or Very High (V).';
		throw notValid(value, `'${label}'`, 'one of its options', advice);
	},
};
