import { SEED, type SandboxControl } from '../../../sandbox/service';

const NAMES_BY_ITSELF = `/processes/${SEED.processes.purchaseRequest}/`;

/** Adds instances of processes that leave the names to clients; gives their ids. */
export function addNamedInstances(control: SandboxControl, count: number): number[] {
	return control
		.addInstances(2 * count)
		.filter((id) => !control.instance(id)?.process.endsWith(NAMES_BY_ITSELF))
		.slice(0, count);
}
