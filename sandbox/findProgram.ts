import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether there is a program at a path that may be run. */
export function canRun(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/**
 * The paths that a program may be at, those on PATH first.
 *
 * @param names what it may be called
 * @param folders where else to look
 */
export function programPaths(
	names: string[],
	folders: string[] = [],
	path = process.env.PATH ?? '',
): string[] {
	return [...path.split(delimiter).filter(Boolean), ...folders].flatMap((folder) =>
		names.map((name) => join(folder, name)),
	);
}
