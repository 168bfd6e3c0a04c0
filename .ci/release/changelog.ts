const UNRELEASED = /^## Unreleased[^\S\n]*\n/m;

/**
 * The changelog with what is unreleased moved to a version, under an empty `Unreleased`.
 *
 * @param version e.g. `1.2.0`
 * @param date e.g. `2027-03-31`
 * @throws Error when the changelog has no section `Unreleased`, or nothing in it
 */
export function releaseChangelog(text: string, version: string, date: string): string {
	const found = UNRELEASED.exec(text);
	if (found === null) throw new Error('CHANGELOG.md has no section "## Unreleased". Add one.');
	const start = found.index + found[0].length;
	const [notes = ''] = text.slice(start).split(/^## /m);
	if (notes.trim() === '') {
		throw new Error('Nothing is listed under "Unreleased" in CHANGELOG.md. List what has changed.');
	}
	return `${text.slice(0, start)}\n## ${version} - ${date}\n${text.slice(start)}`;
}

/** Whether the changelog has a section for a version. */
export function hasRelease(text: string, version: string): boolean {
	return text.split('\n').some((line) => line.startsWith(`## ${version} - `));
}
