import type { INodeProperties } from 'n8n-workflow';

import { parseTags } from '../../values/tags';
import { isBlank, type SettableField, type UpdateParameter } from './settableField';

function form(
	own: Pick<INodeProperties, 'description' | 'displayName' | 'hint' | 'name' | 'placeholder'>,
): INodeProperties {
	return { ...own, type: 'string', default: '' };
}

const replaceTags: UpdateParameter = {
	form: form({
		displayName: 'Replace Tags',
		name: 'tags',
		placeholder: 'e.g. urgent, finance',
		description:
			'The new tags, separated by commas, or an expression that returns a list. Replaces all current tags.',
		hint: 'Replaces all current tags. To keep them, use Add Tags.',
	}),
	replaces: true,
	read: (value, { label }) => ({ set: parseTags(value, label) }),
};

// Tags to add or remove may be none for an item.
const addTags: UpdateParameter = {
	form: form({
		displayName: 'Add Tags',
		name: 'addTags',
		placeholder: 'e.g. urgent, finance',
		description:
			'Tags to add, separated by commas, or an expression that returns a list. Current tags are kept.',
		hint: 'Separated by commas. Current tags are kept.',
	}),
	amends: true,
	mayBeEmpty: true,
	read: (value, { label }) => ({ add: parseTags(value, label), removes: () => false }),
};

const removeTags: UpdateParameter = {
	form: form({
		displayName: 'Remove Tags',
		name: 'removeTags',
		placeholder: 'e.g. draft, waiting',
		description:
			'Tags to remove, separated by commas, or an expression that returns a list. All other tags are kept.',
		hint: 'Separated by commas. All other tags are kept.',
	}),
	amends: true,
	mayBeEmpty: true,
	read(value, { label }) {
		const tags = parseTags(value, label);
		return { add: [], removes: (tag) => tags.some((each) => each === tag) };
	},
};

export const tags: SettableField = {
	parameters: [replaceTags, addTags, removeTags],
	empty: [],
	isUnfilled: (value) => isBlank(typeof value === 'string' ? value.replaceAll(',', '') : value),
	keep: (value) =>
		Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined,
	words: /\btags?\b/i,
};
