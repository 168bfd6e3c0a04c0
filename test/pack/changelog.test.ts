import { hasRelease, releaseChangelog } from '../../.ci/release/changelog';

const EARLIER = '## 0.1.0 - 2026-01-02\n\n### Added\n\n- First.\n';
const withNotes = (notes: string) => `# Changelog\n\nText.\n\n## Unreleased\n${notes}${EARLIER}`;

test('what is unreleased moves to the version, the rest stays', () => {
	const text = withNotes('\n### Fixed\n\n- It.\n\n');
	const released = releaseChangelog(text, '0.2.0', '2027-03-31');
	expect(released).toBe(
		`# Changelog\n\nText.\n\n## Unreleased\n\n## 0.2.0 - 2027-03-31\n\n### Fixed\n\n- It.\n\n${EARLIER}`,
	);
	expect(hasRelease(released, '0.2.0')).toBe(true);
	expect(hasRelease(text, '0.2.0')).toBe(false);
});

test('the first release', () => {
	expect(releaseChangelog('## Unreleased\n\n- All.\n', '1.0.0', '2027-03-31')).toBe(
		'## Unreleased\n\n## 1.0.0 - 2027-03-31\n\n- All.\n',
	);
});

test('a release without a change, and a changelog without the section, are refused', () => {
	expect(() => releaseChangelog(withNotes('\n'), '0.2.0', '2027-03-31')).toThrow(
		'Nothing is listed',
	);
	expect(() => releaseChangelog(EARLIER, '0.2.0', '2027-03-31')).toThrow('no section');
});
