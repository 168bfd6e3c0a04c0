import { isPrintable, notValid, UserFacingError } from '../../../values/userFacingError';
import { UPDATE_FIELDS_LABEL, keepText, type UpdateField } from '../field';

const LONGEST_NAME = 255;

export const nameField: UpdateField = {
	key: 'name',
	label: 'Name',
	clear: { value: null },
	keep: keepText,
	words: /\b(instance name|automatic naming)\b/i,
	adviceOnSet: `If the process generates instance names, remove 'Name' from '${UPDATE_FIELDS_LABEL}'.`,
	form: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Invoice 2026-118',
		description: `The new name of the instance, up to ${LONGEST_NAME} characters`,
	},
	read({ value, label }) {
		if (!isPrintable(value)) throw notValid(value, `'${label}'`, 'text', 'Enter text.');
		const { length } = [...String(value)];
		if (length <= LONGEST_NAME) return { value: String(value) };
		throw new UserFacingError(
			`'${label}' is ${length} characters long`,
			`Shorten it to ${LONGEST_NAME} characters or fewer, the most that the service accepts.`,
		);
	},
};
