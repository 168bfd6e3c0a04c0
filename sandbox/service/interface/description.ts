import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { OpenAPIBackend } from 'openapi-backend';
import type { Document } from 'openapi-backend';
import { parse } from 'yaml';

/** Where the description of the service lies. */
export const DESCRIPTION_PATH = join(__dirname, 'openapi.yaml');

type Description = Document & {
	components: { schemas: { Instance: { properties: Record<string, { readOnly?: boolean }> } } };
};

const description: Description = parse(readFileSync(DESCRIPTION_PATH, 'utf8'));

/** The properties of an instance that a client cannot set. */
export const READ_ONLY = Object.entries(description.components.schemas.Instance.properties)
	.filter(([, { readOnly }]) => readOnly)
	.map(([name]) => name);

function compile(): OpenAPIBackend {
	const api = new OpenAPIBackend({
		definition: description,
		apiRoot: '/api',
		ignoreTrailingSlashes: false,
		strict: true,
		quick: true,
		// Values of the query are always text: 'true' has to count as a boolean.
		coerceTypes: true,
		ajvOpts: { allErrors: true },
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

let compiled: OpenAPIBackend | undefined;

/**
 * Gives the description, ready to match and validate; it is compiled once per process.
 *
 * @throws Error when it cannot be compiled
 */
export function compiledDescription(): OpenAPIBackend {
	compiled ??= compile();
	return compiled;
}
