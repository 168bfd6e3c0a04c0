import type { INodeProperties } from 'n8n-workflow';

import { hasOnlyEmptyTags, parseTags } from '../../values/tags';
import { type Change, type SettableField, setTo, type UpdateParameter } from './settableField';

type Own = Pick<INodeProperties, 'description' | 'displayName' | 'hint' | 'name' | 'placeholder'>;

function parameterOfTags(
	effect: UpdateParameter['effect'],
	own: Own,
	changeTo: (tags: string[]) => Change,
): UpdateParameter {
	return {
		form: { ...own, type: 'string', default: '' },
		effect,
		isEmpty: hasOnlyEmptyTags,
		read: (value, { label }) => changeTo(parseTags(value, label)),
	};
}

const addTags = parameterOfTags(
	'edits',
	{
		displayName: 'Add Tags',
		name: 'addTags',
		placeholder: 'e.g. urgent, finance',
		description:
			'Tags to add, separated by commas, or an expression that returns a list. Current tags are kept.',
		hint: 'Separated by commas. Current tags are kept.',
	},
	(add) => ({ add, removes: () => false }),
);

const removeTags = parameterOfTags(
	'edits',
	{
		displayName: 'Remove Tags',
		name: 'removeTags',
		placeholder: 'e.g. draft, waiting',
		description:
			'Tags to remove, separated by commas, or an expression that returns a list. All other tags are kept.',
		hint: 'Separated by commas. All other tags are kept.',
	},
	(tags) => ({ add: [], removes: (tag) => tags.some((each) => each === tag) }),
);

const replaceTags = parameterOfTags(
	'replaces',
	{
		displayName: 'Replace Tags',
		name: 'tags',
		placeholder: 'e.g. urgent, finance',
		description:
			'The new tags, separated by commas, or an expression that returns a list. Replaces all current tags.',
		hint: 'Replaces all current tags. To keep them, use Add Tags.',
	},
	setTo,
);

export const tags: SettableField = {
	key: 'tags',
	name: 'tags',
	parameters: [addTags, removeTags, replaceTags],
	empty: [],
	keep: (value) =>
		Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined,
	edit: (list, { add, removes }) => [...list, ...add].filter((tag) => !removes(tag)),
	words: /\btags?\b/i,
};
