import type { IDataObject } from 'n8n-workflow';

import { DEFAULTS, INSTANCE_FIELDS } from '../../../sandbox/service';
import type { Instance, SettableProperties } from '../../../sandbox/service';
import type { SandboxUnderTest } from './sandbox';

/** What a client may set (docs/dev/service-interface.md#update), in the order in which it is sent, and empty. */
const EMPTY = { process: 'https://service.example/api/processes/3/', ...DEFAULTS, name: null };

export const SETTABLE = Object.keys(EMPTY);

/** The body of an update with these values, all others empty. */
export function aBody(values: IDataObject = {}): IDataObject {
	return { ...EMPTY, ...values };
}

/** An instance as a service sends it: number 7, with these values, all others that a client may set empty. */
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

/** Items with these values in one field, as other nodes send them; undefined stands for nothing. */
export const itemsOf = (values: unknown[], field = 'id'): IDataObject[] =>
	JSON.parse(JSON.stringify(values.map((value) => ({ [field]: value }))));

/** The bodies of the requests that were sent with a method, in order. */
export function bodies(sandbox: SandboxUnderTest, method: 'POST' | 'PUT'): IDataObject[] {
	return sandbox
		.log()
		.filter((entry) => entry.method === method)
		.map(({ body }): IDataObject => JSON.parse(body));
}
