import shown from '../../docs/pictures/shown.json';
import { SCENES, shownBy } from '../../scripts/pictures/scenes';
import { SEED } from '../../sandbox/service';
import { locator, useSandbox } from './support/sandbox';

const sandbox = useSandbox();

test('the pictures show the current forms and messages (to retake them: npm run docs -- pictures)', async () => {
	const { error } = await sandbox.run({ operation: 'get', instanceId: locator(SEED.unknown) });
	const messages = [error?.message ?? '', error?.description ?? ''];
	const today = Object.entries(SCENES).map(([name, scene]) => {
		return [name, shownBy(scene, scene.messages && messages)];
	});
	expect(shown).toEqual(Object.fromEntries(today));
});
