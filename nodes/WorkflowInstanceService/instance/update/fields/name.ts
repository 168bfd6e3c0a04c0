import { parseText } from '../../../values/textList';
import { UserFacingError } from '../../../values/userFacingError';
import type { UpdateField } from '../field';

const LONGEST_NAME = 255;

export const nameField: UpdateField = {
	key: 'name',
	label: 'Name',
	clear: { value: null },
	form: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Invoice 2026-118',
		description: `The new name of the instance, up to ${LONGEST_NAME} characters`,
	},
	read({ value, label }) {
		const name = parseText(value, label);
		const { length } = [...name];
		if (length <= LONGEST_NAME) return { value: name };
		throw new UserFacingError(
			`'${label}' is ${length} characters long`,
			`Shorten it to ${LONGEST_NAME} characters or fewer, the most that the service accepts.`,
		);
	},
};
