import AjvCompiler from '@fastify/ajv-compiler';
import { OpenAPIRouter } from 'openapi-backend/router';
import type { Operation } from 'openapi-backend';
import { isRecord } from '../guards';
import { readDescription, resolveReference } from './description';
import type { Node } from './description';

type BuildCompiler = ReturnType<typeof AjvCompiler>;
/** A compiled schema: tells whether a value conforms, and keeps why not in `errors`. */
export type Validate = ReturnType<ReturnType<BuildCompiler>>;

/** One operation of the description with its compiled schemas. */
export interface CompiledOperation {
	operation: Operation;
	query: Validate;
	/** Undefined when the operation takes no body. */
	body: Validate | undefined;
	/** Media types that the body may have. */
	bodyTypes: string[];
	/** Per status; the schema is undefined for an answer without a body. */
	responses: Map<string, Validate | undefined>;
}

/** The description, ready to match and validate. */
export interface CompiledDescription {
	router: OpenAPIRouter;
	/** By operationId. */
	operations: Map<string, CompiledOperation>;
	/** What the value of the Authorization header must look like. */
	authorization: RegExp;
}

const OPTIONS = {
	allErrors: true,
	coerceTypes: false,
	removeAdditional: false,
	strict: false,
	useDefaults: false,
	verbose: false,
} as const;

const buildCompiler = AjvCompiler();
const compileStrict = buildCompiler({}, { customOptions: OPTIONS });
// Query values are always text: 'true' has to count as a boolean.
const compileCoercing = buildCompiler({}, { customOptions: { ...OPTIONS, coerceTypes: true } });

function schemaOf(content: unknown): unknown {
	if (!isRecord(content)) return undefined;
	const json = content['application/json'];
	return isRecord(json) ? json.schema : undefined;
}

function querySchema(parameters: Node[]): Node {
	const inQuery = parameters.filter((parameter) => parameter.in === 'query');
	return {
		type: 'object',
		additionalProperties: false,
		properties: Object.fromEntries(
			inQuery.map((parameter) => [String(parameter.name), parameter.schema]),
		),
		required: inQuery.filter((parameter) => parameter.required).map(({ name }) => name),
	};
}

function authorizationPattern(components: Node): RegExp {
	const schemes = isRecord(components.securitySchemes) ? components.securitySchemes : {};
	const scheme = isRecord(schemes.apiKey) ? schemes.apiKey : {};
	return new RegExp(String(scheme['x-value-pattern'] ?? '^.+$'));
}

function compileDescription(): CompiledDescription {
	const description = readDescription();
	const components: Node = { ...description.components };
	const resolve = (value: unknown) => resolveReference(description, value);
	// References inside a schema (#/components/…) are resolved against the schema itself.
	const compile = (schema: unknown, compiler = compileStrict): Validate | undefined =>
		isRecord(schema) ? compiler({ schema: { ...schema, components } }) : undefined;

	const compileOperation = (operation: Operation): CompiledOperation => {
		const body = resolve(operation.requestBody);
		const parameters = (operation.parameters ?? []).map(resolve);
		return {
			operation,
			query: compileCoercing({ schema: querySchema(parameters) }),
			body: compile(schemaOf(body.content)),
			bodyTypes: isRecord(body.content) ? Object.keys(body.content) : [],
			responses: new Map(
				Object.entries(operation.responses ?? {}).map(([status, response]) => [
					status,
					compile(schemaOf(resolve(response).content)),
				]),
			),
		};
	};

	const router = new OpenAPIRouter({
		definition: description,
		apiRoot: '/api',
		ignoreTrailingSlashes: false,
	});
	return {
		router,
		operations: new Map(
			router
				.getOperations()
				.map((operation) => [operation.operationId ?? '', compileOperation(operation)]),
		),
		authorization: authorizationPattern(components),
	};
}

let compiled: CompiledDescription | undefined;

/** Gives the compiled description; it is read and compiled once per process. */
export function getCompiledDescription(): CompiledDescription {
	compiled ??= compileDescription();
	return compiled;
}
