import type { INodeProperties } from 'n8n-workflow';

import { hasOnlyEmptyTags, parseTags } from '../../values/tags';
import { type Change, type SettableField, setTo, type UpdateParameter } from './settableField';

type Own = Record<'displayName' | 'hint' | 'name', string>;

function tagsParameter(
	effect: UpdateParameter['effect'],
	own: Own,
	what: string,
	changeTo: (tags: string[]) => Change,
): UpdateParameter {
	const form: INodeProperties = {
		...own,
		type: 'string',
		default: '',
		placeholder: 'e.g. urgent, finance',
		description: `${what}, separated by commas, or an expression that returns a list. ${own.hint}.`,
	};
	const read: UpdateParameter['read'] = (value, { label }) => changeTo(parseTags(value, label));
	return { form, effect, isEmpty: hasOnlyEmptyTags, read };
}

const addTags = tagsParameter(
	'edits',
	{ displayName: 'Add Tags', name: 'addTags', hint: 'Current tags are kept' },
	'Tags to add',
	(add) => ({ add, removes: () => false }),
);

const removeTags = tagsParameter(
	'edits',
	{ displayName: 'Remove Tags', name: 'removeTags', hint: 'All other tags are kept' },
	'Tags to remove',
	(tags) => ({ add: [], removes: (tag) => tags.some((each) => each === tag) }),
);

const replaceTags = tagsParameter(
	'replaces',
	{
		displayName: 'Replace Tags',
		name: 'tags',
		hint: 'Replaces all current tags. To keep them, use Add Tags',
	},
	'The new tags',
	setTo,
);

export const tags: SettableField = {
	key: 'tags',
	name: 'tags',
	parameters: [addTags, removeTags, replaceTags],
	empty: [],
	keep: (value) =>
		Array.isArray(value) && value.every((tag) => typeof tag === 'string') ? value : undefined,
	edit: (list, { add, removes }) => [...list, ...add].filter((tag) => !removes(tag)),
	words: /\btags?\b/i,
};
