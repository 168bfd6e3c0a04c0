import type { INodeProperties } from 'n8n-workflow';

import { WorkflowInstanceServiceApi } from '../credentials/WorkflowInstanceServiceApi.credentials';
import { instanceProperties, triggerProperties } from '../nodes/WorkflowInstanceService/shared';
import { table } from '../test/docs/repository';

const INTRODUCTION = `# Parameters

Every parameter of the node, the trigger and the credential, as the forms in n8n show them, with its name in workflow files.
`;

type Option = NonNullable<INodeProperties['options']>[number];
type Choice = Extract<Option, { value: unknown }>;
type Form = INodeProperties[];

const isChoice = (option: Option): option is Choice => 'value' in option;
const isField = (option: Option): option is INodeProperties => 'type' in option;
const optionsOf = ({ options = [] }: INodeProperties): Option[] => options;

/** A default as people read it. */
function defaultOf(field: INodeProperties): string {
	const { default: value, required } = field;
	if (required) return 'required';
	if (typeof value === 'boolean') return value ? 'on when added' : 'off';
	const chosen = optionsOf(field).filter(isChoice);
	const names = chosen.filter((choice) => [value].flat().includes(choice.value));
	if (names.length > 0) return names.map(({ name }) => name).join(', ');
	return typeof value === 'number' || (value && typeof value === 'string') ? String(value) : '';
}

/** Where a field appears only with a certain value of another one, e.g. `With Output set to Raw.` */
function conditionOf({ displayOptions }: INodeProperties, form: Form): string[] {
	return form.flatMap((other) => {
		const wanted = displayOptions?.show?.[other.name];
		const names = optionsOf(other).filter((one) => isChoice(one) && wanted?.includes(one.value));
		return names.map(({ name }) => `With _${other.displayName}_ set to _${name}_.`);
	});
}

/** What a list offers, or how a locator can be set. */
function choicesOf(field: INodeProperties): string[] {
	if (field.type === 'collection') return ['Listed below.'];
	const modes = (field.modes ?? []).map(({ displayName }) => displayName);
	const choices = optionsOf(field).filter(isChoice);
	if (choices.every(({ description }) => !description))
		modes.push(...choices.map(({ name }) => name));
	const texts = choices.map(({ name, description = '' }) => `**${name}**: ${description}`);
	return modes.length > 0 ? [modes.map((name) => `**${name}**`).join(', ')] : texts;
}

/** Long descriptions, with the section that has them. Later sections refer to it. */
type Known = Map<string, string>;

/** A field, and below it what a row of it consists of. */
function withRows(field: INodeProperties): INodeProperties[] {
	const groups = optionsOf(field).filter((option) => 'values' in option);
	const inRow = groups.flatMap(({ values }) => values).flatMap(withRows);
	const named = inRow.map((part) => ({
		...part,
		displayName: `${field.displayName} > ${part.displayName}`,
	}));
	return [field, ...named];
}

function fieldsTable(title: string, fields: Form, form: Form, known: Known): string {
	const rows = fields.flatMap(withRows).map((field) => {
		const { displayName, name, type, description = '' } = field;
		const about = [...conditionOf(field, form), description].filter(Boolean).join(' ');
		const text = [about, ...choicesOf(field)].filter(Boolean).join('<br>');
		const section = known.get(displayName + text);
		if (section === undefined && text.length > 50) known.set(displayName + text, title);
		const told = section === undefined ? text : `As in _${section}_`;
		return [`${displayName}<br>\`${name}\`: ${type}`, defaultOf(field), told];
	});
	return table(['Parameter', 'Default', 'Description'], rows);
}

function section(title: string, form: Form, known: Known): string[] {
	const fields = form.filter(({ type }) => type !== 'notice');
	const collections = fields.filter(({ type }) => type === 'collection');
	return [
		`## ${title}`,
		fieldsTable(title, fields, form, known),
		...collections.flatMap((collection) => [
			`### ${title}: ${collection.displayName}`,
			fieldsTable(title, optionsOf(collection).filter(isField), form, known),
		]),
	];
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

/** The whole page. */
export function parametersPage(): string {
	const known: Known = new Map();
	const sections = Object.entries(forms()).flatMap(([title, form]) => section(title, form, known));
	return [INTRODUCTION, ...sections, ''].join('\n\n');
}
