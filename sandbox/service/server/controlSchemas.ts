import { settableSchemas } from '../interface/description';

const whole = { type: 'integer', minimum: 0 } as const;
const atLeastOne = { type: 'integer', minimum: 1 } as const;
const status = { type: 'integer', minimum: 200, maximum: 599 } as const;

function action(type: string, properties: object = {}, required: string[] = []): object {
	return {
		type: 'object',
		additionalProperties: false,
		required: ['type', ...required],
		properties: { type: { const: type }, ...properties },
	};
}

/** `type` determines the schema, so that messages are only about that one. */
function anyOfTypes(actions: object[]): object {
	return {
		type: 'object',
		required: ['type'],
		discriminator: { propertyName: 'type' },
		oneOf: actions,
	};
}

const AFTER_WORK = [
	action(
		'respond',
		{
			status,
			headers: { type: 'object', additionalProperties: { type: 'string' } },
			body: { type: 'string' },
			contentType: { type: 'string' },
		},
		['status'],
	),
	action('reset'),
	action('resetDuring'),
	action('hang'),
	action('truncate'),
	action('redirect', { status, location: { type: 'string' } }, ['location']),
	action('emptyBody', { status }),
];

/** The body of POST /control/faults. */
export const FAULT_RULE = {
	type: 'object',
	additionalProperties: false,
	required: ['action'],
	properties: {
		match: {
			type: 'object',
			additionalProperties: false,
			properties: {
				method: { type: 'string' },
				path: { type: 'string', format: 'regex' },
				ids: { type: 'array', items: whole },
				nth: atLeastOne,
			},
		},
		times: whole,
		action: anyOfTypes([
			...AFTER_WORK,
			action('delay', { ms: whole }, ['ms']),
			action('applyThen', { then: anyOfTypes(AFTER_WORK) }, ['then']),
		]),
	},
} as const;

/** The body of PATCH /control/settings. */
export const SETTINGS = {
	type: 'object',
	additionalProperties: false,
	properties: {
		latencyMs: whole,
		snapshotShape: { enum: ['text', 'object', 'array'] },
		unknownIds: { enum: ['passedOver', 'refused'] },
		rateLimit: {
			type: 'object',
			nullable: true,
			additionalProperties: false,
			required: ['requests'],
			properties: {
				requests: whole,
				seconds: atLeastOne,
				retryAfter: {
					enum: [
						'seconds',
						'date',
						'none',
						'zero',
						'pastDate',
						'RateLimit-Reset',
						'X-RateLimit-Reset',
					],
				},
				retryAfterSeconds: whole,
			},
		},
	},
} as const;

/** The body of POST /control/instances. */
export const EXTRA_INSTANCES = {
	type: 'object',
	additionalProperties: false,
	required: ['count'],
	properties: { count: { ...atLeastOne, maximum: 20_000 } },
} as const;

/** The body of PATCH /control/instances/:id. */
export const CHANGE = {
	type: 'object',
	additionalProperties: false,
	properties: {
		...settableSchemas(),
		// A change of the process is an update.
		process: false,
		state: { enum: ['running', 'completed', 'aborted'] },
		stepsDone: whole,
	},
} as const;

/** The path of GET and PATCH /control/instances/:id. */
export const INSTANCE_PATH = {
	type: 'object',
	required: ['id'],
	properties: { id: { type: 'string', pattern: '^\\d+$' } },
} as const;
