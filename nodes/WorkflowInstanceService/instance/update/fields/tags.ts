import type { GenericValue } from 'n8n-workflow';

import { hasOnlyEmptyTexts, parseTexts } from '../../../values/textList';
import { trimmed } from '../../../values/userFacingError';
import { type Change, type FieldParameter, keepList, type UpdateField } from '../field';

function tagParameter(
	form: { displayName: string; name: string; hint: string },
	what: string,
	replaces: boolean,
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
		replaces,
		read: ({ value, label }) =>
			hasOnlyEmptyTexts(value) ? undefined : changeOf(parseTexts(value, label)),
	};
}

/** What the user does not name stays as it is, even where it repeats. */
function added(current: GenericValue[], tags: string[]): string[] {
	const texts = current.map(String);
	const known = new Set(texts);
	return [...texts, ...tags.filter((tag) => !known.has(tag))];
}

/** A tag is also found with the blanks that Get may show, and where its accents are encoded in another way. */
function removed(current: GenericValue[], tags: string[]): string[] {
	const unwanted = new Set(tags.map((tag) => tag.normalize()));
	return current.map(String).filter((tag) => !unwanted.has(trimmed(tag).normalize()));
}

export const tagsField: UpdateField = {
	key: 'tags',
	clear: { option: 'tags', value: [] },
	words: /\btags?\b/i,
	keep: (value) => keepList(value, (tag) => (typeof tag === 'string' ? tag : undefined)),
	parameters: [
		tagParameter(
			{ displayName: 'Add Tags', name: 'addTags', hint: 'Current tags are kept' },
			'Tags to add',
			false,
			(tags) => ({ edit: (current) => added(current, tags) }),
		),
		tagParameter(
			{ displayName: 'Remove Tags', name: 'removeTags', hint: 'All other tags are kept' },
			'Tags to remove',
			false,
			(tags) => ({ edit: (current) => removed(current, tags) }),
		),
		tagParameter(
			{
				displayName: 'Replace Tags',
				name: 'tags',
				hint: 'Replaces all current tags. To keep them, use Add Tags',
			},
			'The new tags',
			true,
			(tags) => ({ value: tags }),
		),
	],
};
