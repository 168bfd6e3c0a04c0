/** The service to try the node on. */
export type Target =
	| { kind: 'sandbox' }
	| {
			kind: 'service';
			baseUrl: string;
			apiKey: string;
			/** The one instance that the tour reads; without it there is no tour. */
			instanceId: number | undefined;
	  };

const prefix = 'WORKFLOW_INSTANCE_SERVICE_';
export const instanceIdVariable = `${prefix}INSTANCE_ID`;

const valueOf = (env: NodeJS.ProcessEnv, name: string) => env[`${prefix}${name}`]?.trim() ?? '';

function checkUrl(baseUrl: string): void {
	const protocol = URL.canParse(baseUrl) ? new URL(baseUrl).protocol : '';
	if (protocol === 'http:' || protocol === 'https:') return;
	throw new Error(`${prefix}BASE_URL is not an HTTP(S) URL. Set it to https://…/api.`);
}

function readInstanceId(text: string): number | undefined {
	if (text === '') return undefined;
	const id = Number(text);
	if (/^\d+$/.test(text) && id > 0 && Number.isSafeInteger(id)) return id;
	throw new Error(
		`${instanceIdVariable} is not a valid instance ID. Set it to a whole number above 0.`,
	);
}

/**
 * Reads from the environment which service to use: the sandbox, or your own if its base URL and API
 * key are set.
 * @throws when only one of the two is set, or a value is invalid
 */
export function readTarget(env: NodeJS.ProcessEnv): Target {
	const baseUrl = valueOf(env, 'BASE_URL');
	const apiKey = valueOf(env, 'API_KEY');
	if (baseUrl === '' && apiKey === '') return { kind: 'sandbox' };
	if (baseUrl === '' || apiKey === '') {
		const [set, missing] = baseUrl === '' ? ['API_KEY', 'BASE_URL'] : ['BASE_URL', 'API_KEY'];
		throw new Error(
			`${prefix}${set} is set but ${prefix}${missing} is not. Set both to use your own service, ` +
				'or neither to use the sandbox.',
		);
	}
	checkUrl(baseUrl);
	return {
		kind: 'service',
		baseUrl,
		apiKey,
		instanceId: readInstanceId(valueOf(env, 'INSTANCE_ID')),
	};
}
