import { parseTexts } from '../../../values/textList';
import { trimmed } from '../../../values/userFacingError';
import { type Change, type FieldParameter, keepList, keepText, type UpdateField } from '../field';

function tagParameter(
	form: { displayName: string; name: string; hint: string },
	what: string,
	changeOf: (tags: string[]) => Change,
): FieldParameter {
	return {
		form: {
			...form,
			type: 'string',
			default: '',
			placeholder: 'e.g. urgent, finance',
			description: `${what}, separated by commas, or an expression that returns a list. ${form.hint}.`,
		},
		read({ value, label }) {
			const tags = parseTexts(value, label);
			return tags.length > 0 ? changeOf(tags) : undefined;
		},
	};
}

const addTags = tagParameter(
	{ displayName: 'Add Tags', name: 'addTags', hint: 'Current tags are kept' },
	'Tags to add',
	(tags) => ({
		edit(current) {
			const present = new Set(current.map((tag) => String(tag).normalize()));
			return [...current, ...tags.filter((tag) => !present.has(tag.normalize()))];
		},
	}),
);

const removeTags = tagParameter(
	{ displayName: 'Remove Tags', name: 'removeTags', hint: 'All other tags are kept' },
	'Tags to remove',
	(tags) => ({
		edit(current) {
			// A tag is also found with the blanks that Get may show, and where its accents are encoded in another way.
			const unwanted = new Set(tags.map((tag) => tag.normalize()));
			return current.filter((tag) => !unwanted.has(trimmed(String(tag)).normalize()));
		},
	}),
);

const replaceTags = tagParameter(
	{
		displayName: 'Replace Tags',
		name: 'tags',
		hint: 'Replaces all current tags, unlike Add Tags',
	},
	'The new tags',
	(tags) => ({ value: tags }),
);

export const tagsField: UpdateField = {
	...replaceTags,
	key: 'tags',
	label: 'Tags',
	clear: { value: [] },
	keep: (value) => keepList(value, keepText),
	edits: [addTags, removeTags],
};
