import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { DEFAULTS, INSTANCE_FIELDS } from '../../../sandbox/service';
import type { Instance, SettableProperties } from '../../../sandbox/service';
import type { SandboxUnderTest } from './sandbox';

/** What a client may set (docs/dev/service-interface.md#update), with empty values, in the order in which it's sent. */
const EMPTY = { process: 'https://service.example/api/processes/3/', ...DEFAULTS, name: null };

export const SETTABLE = Object.keys(EMPTY);

/** The body of an update with these values. All others are empty. */
export function aBody(values: IDataObject = {}): IDataObject {
	return { ...EMPTY, ...values };
}

/** An instance as a service sends it: with ID 7 and these values. All others that a client may set are empty. */
export function anInstance(values: IDataObject = {}): IDataObject {
	return { id: 7, ...aBody(values) };
}

/** An instance as the sandbox keeps it. Throws when there is none. */
export function stored({ control }: SandboxUnderTest, id: number): Instance {
	const instance = control.instance(id);
	if (instance === undefined) throw new Error(`The sandbox has no instance ${id}`);
	return instance;
}

export function settableOf(instance: Instance): SettableProperties {
	const settable: SettableProperties = { ...instance };
	for (const field of INSTANCE_FIELDS.readOnly) Reflect.deleteProperty(settable, field);
	return settable;
}

/** Items with these values in one field, as other nodes send them; without the field if it's undefined. */
export const itemsOf = (values: unknown[], field = 'id'): IDataObject[] =>
	JSON.parse(JSON.stringify(values.map((value) => ({ [field]: value }))));

/** For each output, the input items that its items are paired to. */
export const pairings = (outputs: INodeExecutionData[][]) =>
	outputs.map((items) => items.map(({ pairedItem }): unknown => Object(pairedItem).item));

/** The bodies of the requests that were sent with a method, in order. */
export function bodies(sandbox: SandboxUnderTest, method: 'POST' | 'PUT'): IDataObject[] {
	return sandbox
		.log()
		.filter((entry) => entry.method === method)
		.map(({ body }): IDataObject => JSON.parse(body));
}
