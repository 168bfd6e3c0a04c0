import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { runTour } from '../../sandbox/start/steps';
import { importWorkflows, readOnlyTour, readRecipes } from '../../sandbox/start/workflows';
import { useStack } from './support/stack';

const stack = useStack();
const cwd = join(__dirname, '../..');

test('npm start connects and describes the sandbox, and leaves nothing on its ports when npm alone is ended', async () => {
	const npm = spawn('npm', ['start'], { cwd });
	let [output, second] = ['', ''];
	npm.stdout.on('data', (data: Buffer) => {
		if (!/Press Ctrl-C/.test((output += data.toString())) || second !== '') return;
		const another = spawn('npm', ['start'], { cwd });
		another.stdout.on('data', (more: Buffer) => {
			if (!/Another `npm start` is running here/.test((second += more.toString()))) return;
			another.kill('SIGTERM');
			npm.kill('SIGTERM');
		});
	});
	// It closes once the last process that may write to it has ended.
	await Promise.all([once(npm.stdout, 'close'), text(npm.stderr)]);
	const ports = [...output.matchAll(/✔ .+(?:service|n8n) \(port (\d+)/g)].map(([, port]) => port);
	expect(ports).toHaveLength(2);
	for (const port of ports) {
		await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
	}
	expect(output).toContain(`Base URL   http://127.0.0.1:${ports[0]}/api`);
	expect(output).toContain('Instances  101 to 148 without 108, 110, including');
	expect(output).toMatch(/\nStopping …\n$/);
});

test('npm start stops quietly when nobody reads its output', async () => {
	const npm = spawn('npm', ['start'], { cwd });
	npm.stdout.once('data', () => npm.stdout.destroy());
	const [errors, [code]] = await Promise.all([text(npm.stderr), once(npm, 'close')]);
	expect([errors, code]).toEqual(['', 141]);
});

test('npm start imports the recipes again, except those that were edited or archived', async () => {
	const { rest } = stack().n8n;
	const file = join(stack().folder, 'imported.json');
	const recipes = readRecipes(true);
	// Each one says how to try it, since the recipes that users import don't mention the sandbox.
	expect(recipes.filter(({ nodes }) => !JSON.stringify(nodes).includes('the sandbox'))).toEqual([]);
	expect(JSON.stringify(readRecipes(false))).not.toContain('sandbox');
	const run = async () => await importWorkflows(rest, recipes, file);
	expect([await run(), await run()]).toEqual([[], []]);
	const [archived, edited, untouched] = recipes;
	await rest.call('PATCH', `/workflows/${edited?.id}`, { name: 'Edited' });
	await rest.call('POST', `/workflows/${archived?.id}/archive`, {});
	expect(await run()).toEqual([archived?.name, edited?.name]);
	expect(await rest.call('GET', `/workflows/${edited?.id}`)).toMatchObject({ name: 'Edited' });
	const changed = recipes.map((each) => (each === untouched ? { ...each, name: 'New' } : each));
	expect(await importWorkflows(rest, changed, file)).toHaveLength(2);
	expect(await rest.call('GET', `/workflows/${untouched?.id}`)).toMatchObject({ name: 'New' });
});

test('npm start runs the tour, unless it was edited', async () => {
	const { rest } = stack().n8n;
	const file = join(stack().folder, 'imported-tour.json');
	const tour = readOnlyTour(101);
	const run = async () => await runTour(rest, tour, await importWorkflows(rest, [tour], file));
	expect(await run()).toMatchObject({ workflow: tour });
	expect(await run()).toMatchObject({ workflow: tour });
	await rest.call('PATCH', `/workflows/${tour.id}`, { pinData: { 'Get Instance': [] } });
	expect(await run()).toBeUndefined();
});
