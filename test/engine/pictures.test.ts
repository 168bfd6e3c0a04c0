import { formShown, readShown } from '../../scripts/pictures/shown';
import { SCENES } from '../../scripts/pictures/scenes';
import { isRecord } from '../../sandbox/guards';
import { SEED } from '../../sandbox/service';
import { recipe, SAMPLE_ROWS } from '../e2e/support/recipe';
import { locator, useSandbox } from './support/sandbox';

const sandbox = useSandbox();
const TAKE = 'to take it again: npm run docs -- pictures';

const ofForms = Object.keys(SCENES).filter((name) => SCENES[name]?.form !== undefined);

test.each(ofForms)(`the picture %s shows today's form (${TAKE})`, (name) => {
	expect(readShown()[name]?.form).toBe(formShown(name));
});

test(`the picture of a rejected ID shows today's message (${TAKE})`, async () => {
	const { error } = await sandbox.run({ operation: 'get', instanceId: locator(SEED.unknown) });
	expect(readShown().refusal?.messages).toEqual([error?.message, error?.description]);
});

test(`the picture of the recipe shows today's messages (${TAKE})`, async () => {
	const { nodes } = recipe('update-from-table.json');
	const parametersOf = (wanted: string) =>
		JSON.parse(JSON.stringify(nodes.find(({ name }) => name === wanted)?.parameters));
	const { options, ...parameters } = parametersOf('Update Instances');
	const updating = { ...parameters, options: { ...options, dryRun: false } };
	const settings = { onError: 'continueErrorOutput' } as const;
	const { outputs } = await sandbox.run(updating, SAMPLE_ROWS, settings);
	const rejected = outputs[1]?.flatMap(({ json: { instance_id, error, details } }) => [
		String(instance_id),
		error,
		isRecord(details) && details.description,
	]);
	expect(readShown().recipe?.messages?.filter(Boolean)).toEqual(rejected);
});
