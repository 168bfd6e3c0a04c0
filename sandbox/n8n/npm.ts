import { startNode } from './process';
import type { OwnedProcess } from './process';
import { nodeHeaders, npmScript } from './paths';

const quietFlags = ['--no-audit', '--no-fund', '--no-progress', '--no-update-notifier'];

function npmEnvironment(): NodeJS.ProcessEnv {
	const headers = nodeHeaders();
	return headers ? { ...process.env, npm_config_nodedir: headers } : process.env;
}

/**
 * Starts npm on the Node.js that n8n runs on.
 * @param args the npm command and its own flags
 * @param cwd the folder of the package.json to use
 */
export function startNpm(args: string[], cwd: string): OwnedProcess {
	return startNode([npmScript(), ...args, ...quietFlags], { cwd, env: npmEnvironment() });
}
