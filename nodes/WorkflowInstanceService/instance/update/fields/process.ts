import { idFromUri, parseLocator } from '../../../values/ids';
import { BY_ID, byUrl, fromList, PROCESS } from '../../locators';
import type { UpdateField } from '../field';

export const processField: UpdateField = {
	key: 'process',
	label: PROCESS.label,
	compareAs: (value) => idFromUri(value, PROCESS.segment),
	form: {
		displayName: PROCESS.label,
		name: 'process',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		description:
			"The process to move the instance to. The service can't list processes, so From List contains only the current one.",
		modes: [
			fromList('searchProcesses', {
				placeholder: 'Choose the current process...',
				hint: 'Only the current process is listed. To move the instance, use By ID or By URL.',
			}),
			BY_ID,
			byUrl(PROCESS),
		],
	},
	read({ value, baseUrl }) {
		const id = parseLocator(value, PROCESS, baseUrl);
		return { value: `${baseUrl}/${PROCESS.segment}/${id}/` };
	},
};
