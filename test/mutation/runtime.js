const Module = require('node:module');
const Runtime = require('jest-runtime').default;

/** Where Node itself finds a module of an installed package; undefined for all other modules. */
function installed(from, name) {
	if (Module.isBuiltin(name) || name.startsWith('.')) return undefined;
	const path = Module.createRequire(from).resolve(name);
	return path.includes('node_modules') ? path : undefined;
}

/**
 * Loads installed packages once for all mutants instead of once for each: n8n takes longer to load
 * than most tests to run. What is mutated, and its tests, are still loaded anew.
 */
module.exports = class extends Runtime {
	loadTypeScript = Module._extensions['.ts'];

	constructor(...args) {
		super(...args);
		// n8n's package loader asks Node for the node and the credential.
		Module._extensions['.ts'] = (module, path) => {
			module.exports = this.requireModuleOrMock(path, path);
			delete Module._cache[path];
		};
	}

	teardown() {
		Module._extensions['.ts'] = this.loadTypeScript;
		super.teardown();
	}

	requireModuleOrMock(from, name) {
		const path = installed(from, name);
		return path === undefined ? super.requireModuleOrMock(from, name) : require(path);
	}
};
