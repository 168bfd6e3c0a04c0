import type { INodeProperties } from 'n8n-workflow';

import { WorkflowInstanceServiceApi } from '../credentials/WorkflowInstanceServiceApi.credentials';
import { instanceProperties, triggerProperties } from '../nodes/WorkflowInstanceService/shared';

type Form = INodeProperties[];

/** The choices of a field. */
const choicesOf = ({ options = [] }: Pick<INodeProperties, 'options'>) =>
	options.filter((option) => 'value' in option);

/** The operations as the form offers them. */
export const OPTIONS = choicesOf(instanceProperties.find(({ name }) => name === 'operation') ?? {});

export const formOf = (operation: unknown): Form =>
	instanceProperties.filter(({ displayOptions }) =>
		displayOptions?.show?.operation?.includes(String(operation)),
	);

/** A default as people read it; empty for a field without one. */
function defaultOf(field: INodeProperties): string {
	const { default: value, required } = field;
	if (required) return 'required';
	if (typeof value === 'boolean') return value ? 'on when added' : 'off';
	const chosen = choicesOf(field).filter((choice) => [value].flat().includes(choice.value));
	if (chosen.length > 0) return chosen.map(({ name }) => name).join(', ');
	return typeof value === 'number' || (value && typeof value === 'string') ? String(value) : '';
}

/** The fields inside a collection or a row. */
function fieldsInside({ options = [] }: INodeProperties): Form {
	const fields = options.filter((option) => 'type' in option);
	const rows = options.filter((option) => 'values' in option);
	return [...fields, ...rows.flatMap(({ values }) => values)];
}

function listOf(form: Form, indent = ''): string[] {
	const fields = form.filter(({ type }) => type !== 'notice' && type !== 'hidden');
	return fields.flatMap((field) => {
		const value = defaultOf(field);
		const line = `${indent}- ${field.displayName} \`${field.name}\`${value && `: ${value}`}`;
		return [line, ...listOf(fieldsInside(field), `${indent}  `)];
	});
}

/** The forms by the heading of their section. */
export function forms(): Record<string, Form> {
	return {
		Credential: new WorkflowInstanceServiceApi().properties,
		...Object.fromEntries(OPTIONS.map(({ name, value }) => [name, formOf(value)])),
		Trigger: triggerProperties,
	};
}

/** The texts under some keys of a form, however deep. */
export function textsAt(form: unknown, ...keys: string[]): string[] {
	if (typeof form !== 'object' || form === null) return [];
	return Object.entries(form).flatMap(([key, value]) => {
		if (typeof value !== 'string') return textsAt(value, ...keys);
		return keys.includes(key) ? [value] : [];
	});
}

export function parametersPage(): string {
	const sections = Object.entries(forms()).map(
		([title, form]) => `## ${title}\n\n${listOf(form).join('\n')}`,
	);
	return `# Parameters\n\nLabel, name in workflow files, default.\n\n\n${sections.join('\n\n')}\n`;
}
