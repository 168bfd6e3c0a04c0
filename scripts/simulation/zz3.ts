import { historyOf, KINDS } from './histories';
import { seededChance, VirtualClock } from '../../test/harness/virtualClock';
import { SimulatedProcess } from './process';
import { SimulatedService } from './service';
const [kind = '', seed = '0', from = '0', to = '1e9'] = process.argv.slice(2);
void (async () => {
	const name = Object.keys(KINDS).find((k) => k.includes(kind))!;
	const h = historyOf(KINDS[name]!, Number(seed));
	const clock = new VirtualClock({ start: 0, chance: seededChance(h.seed ?? 0), quietTurns: 1 });
	const service = new SimulatedService(clock, { replyTo: ({ path }) => h.failures?.get(path) ?? {}, ...h });
	const t = service.transport;
	const out = (s: string) => { const n = clock.now() / 1000; if (n >= Number(from) && n <= Number(to)) console.log(n.toFixed(2), s); };
	(service as any).transport = async (r: any) => { const b = service.throttled; const at = clock.now(); const res: any = await t(r); out(`${r.method} ${r.path} sent@${(at / 1000).toFixed(2)} ${res.status ?? res.networkCode} ${res.headers?.['retry-after'] ?? ''} ${h.failures?.get(r.path)?.status ?? ''} ${service.throttled > b ? '' : ''}`); return res; };
	const ps = [0, 1].map(() => new SimulatedProcess(clock, service, h.requestsPerMinute));
	await Promise.all(h.runs.map(async ({ kind, paths, process: p = 0, startsAt = 0 }) => {
		await clock.sleep(startsAt);
		const run = ps[p]!.join();
		const work = async (path: string) => { await run[kind](path).then(() => out(`DONE ${path}`), (e: Error) => out(`ERR ${path} ${e.message}`)); };
		if (kind === 'delete') for (const x of paths) await work(x); else await Promise.all(paths.map(work));
		run.leave();
	}));
	clock.stop();
})();
