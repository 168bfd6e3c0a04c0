import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { OpenAPIBackend } from 'openapi-backend';
import type { Document } from 'openapi-backend';
import { parse } from 'yaml';
import type { Value } from './instance';

/** Where the description of the service lies. */
const DESCRIPTION_PATH = join(__dirname, 'openapi.yaml');

interface Property {
	readOnly?: boolean;
	default?: Value;
	example?: Value;
}
type Properties = Record<string, Property>;
type Description = Document & {
	components: { schemas: Record<'Instance' | 'InstanceUpdate', { properties: Properties }> };
};

const description: Description = parse(readFileSync(DESCRIPTION_PATH, 'utf8'));
const { Instance, InstanceUpdate } = description.components.schemas;

/** The names of all properties of an instance, by whether a client can set them. */
export const INSTANCE_FIELDS: Readonly<Record<'settable' | 'readOnly', readonly string[]>> = {
	settable: Object.keys(InstanceUpdate.properties),
	readOnly: Object.keys(Instance.properties).filter((name) => Instance.properties[name]?.readOnly),
};

function valuesOf(kind: 'default' | 'example'): Readonly<Record<string, Value>> {
	const properties = Object.entries(InstanceUpdate.properties).filter(
		([name]) => name !== 'process',
	);
	return Object.fromEntries(
		properties.map(([name, { [kind]: value }]) => {
			if (value !== undefined) return [name, value];
			throw new Error(`'${name}' of InstanceUpdate in openapi.yaml has no ${kind}`);
		}),
	);
}

/** What a client may set besides the process, each as it is when it is not sent. */
export const DEFAULTS = valuesOf('default');

/** The same, each with a value. */
export const EXAMPLES = valuesOf('example');

function compile(): OpenAPIBackend<Description> {
	const api = new OpenAPIBackend<Description>({
		definition: description,
		apiRoot: '/api',
		ignoreTrailingSlashes: false,
		strict: true,
		quick: true,
		// Values of the query are always text: 'true' has to count as a boolean.
		coerceTypes: true,
		ajvOpts: { allErrors: true, useDefaults: true },
		customizeAjv: (ajv) =>
			ajv
				.addFormat('uri', (text) => URL.canParse(text))
				.addFormat('date-time', (text) => DateTime.fromISO(text).isValid),
	});
	// The quick start waits for nothing, so that everything is there when the call returns.
	void api.init();
	if (!api.initialized) throw new Error(`${DESCRIPTION_PATH} was not compiled.`);
	return api;
}

let compiled: OpenAPIBackend<Description> | undefined;

/**
 * Returns the description, ready to match and validate; it is compiled once per process.
 *
 * @throws Error when it cannot be compiled
 */
export function compiledDescription(): OpenAPIBackend<Description> {
	compiled ??= compile();
	return compiled;
}

/** The JSON Schemas of what a client may set, by property. */
export function settableSchemas(): Record<string, object> {
	return compiledDescription().definition.components.schemas.InstanceUpdate.properties;
}
