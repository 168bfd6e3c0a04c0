import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { n8nFolder } from './paths';

/** What a child keeps of this process's environment: the machine's own settings, but nothing from npm,
 * test runners, or another n8n. */
const passedOn =
	/^(HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|NODE_EXTRA_CA_CERTS|(https?|all)_proxy)$/i;

/** Parts of n8n that the sandbox has no use for; some of them call outside services. */
const disabledModules =
	'agents breaking-changes chat-hub insights instance-ai mcp mcp-registry otel quick-connect workflow-builder';

/** n8n doesn't start if it's told the name of a module that it doesn't have. */
function isModule(name: string): boolean {
	return existsSync(join(n8nFolder, 'node_modules', 'n8n', 'dist', 'modules', name));
}

function machineEnvironment(): NodeJS.ProcessEnv {
	const kept = Object.entries(process.env).filter(([name]) => passedOn.test(name));
	const noProxy = process.env.NO_PROXY ?? process.env.no_proxy ?? '';
	return { ...Object.fromEntries(kept), NO_PROXY: `${noProxy},127.0.0.1,localhost` };
}

/**
 * The environment of any n8n process of the sandbox: all its state under `userFolder`, nothing
 * reported to or fetched from outside.
 *
 * @param extra variables to add, or to replace those set here
 */
export function n8nEnvironment(
	userFolder: string,
	extra: Record<string, string> = {},
): NodeJS.ProcessEnv {
	return {
		...machineEnvironment(),
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_RELEASE_TYPE: 'stable',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_PYTHON_ENABLED: 'false',
		N8N_DISABLED_MODULES: disabledModules.split(' ').filter(isModule).join(','),
		NO_COLOR: '1',
		...extra,
	};
}

/** The folder in which n8n looks for installed community packages. */
export function communityPackagesFolder(userFolder: string): string {
	return join(userFolder, '.n8n', 'nodes', 'node_modules');
}
