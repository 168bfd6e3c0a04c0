import type { INodeProperties } from 'n8n-workflow';

import { WorkflowInstanceServiceApi } from '../credentials/WorkflowInstanceServiceApi.credentials';
import { instanceProperties, triggerProperties } from '../nodes/WorkflowInstanceService/shared';

const INTRODUCTION = '# Parameters\n\nLabel, name in workflow files, default.\n';

type Option = NonNullable<INodeProperties['options']>[number];
type Choice = Extract<Option, { value: unknown }>;
type Form = INodeProperties[];

const isChoice = (option: Option): option is Choice => 'value' in option;
const isField = (option: Option): option is INodeProperties => 'type' in option;
const optionsOf = ({ options = [] }: INodeProperties): Option[] => options;

/** A default as people read it; empty where there is none. */
function defaultOf(field: INodeProperties): string {
	const { default: value, required } = field;
	if (required) return 'required';
	if (typeof value === 'boolean') return value ? 'on when added' : 'off';
	const chosen = optionsOf(field).filter(isChoice);
	const names = chosen.filter((choice) => [value].flat().includes(choice.value));
	if (names.length > 0) return names.map(({ name }) => name).join(', ');
	return typeof value === 'number' || (value && typeof value === 'string') ? String(value) : '';
}

/** The fields inside a collection or a row. */
function fieldsInside(field: INodeProperties): Form {
	const rows = optionsOf(field).filter((option) => 'values' in option);
	return [...optionsOf(field).filter(isField), ...rows.flatMap(({ values }) => values)];
}

function listOf(form: Form, indent = ''): string[] {
	const fields = form.filter(({ type }) => type !== 'notice');
	return fields.flatMap((field) => {
		const value = defaultOf(field);
		const line = `${indent}- ${field.displayName} \`${field.name}\`${value && `: ${value}`}`;
		return [line, ...listOf(fieldsInside(field), `${indent}  `)];
	});
}

/** The forms by the heading of their section. */
export function forms(): Record<string, Form> {
	const operation = instanceProperties.find(({ name }) => name === 'operation');
	const operations = operation ? optionsOf(operation).filter(isChoice) : [];
	const ofOperations = operations.map(({ name, value }): [string, Form] => [
		name,
		instanceProperties.filter(({ displayOptions }) =>
			displayOptions?.show?.operation?.includes(value),
		),
	]);
	return {
		Credential: new WorkflowInstanceServiceApi().properties,
		...Object.fromEntries(ofOperations),
		Trigger: triggerProperties,
	};
}

/** The texts at some keys of a form, however deep. */
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
	return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}
