import { historyOf, KINDS } from './histories';
import { simulate } from './simulate';
const [kind = '', seed = '0'] = process.argv.slice(2);
void (async () => {
	const name = Object.keys(KINDS).find((k) => k.includes(kind))!;
	const h = historyOf(KINDS[name]!, Number(seed));
	const o = await simulate(h);
	const lostPaths = [...o.errors.keys()].filter((p) => { const f = h.failures?.get(p); return f?.status === undefined; });
	console.log(h.failures && [...h.failures].filter(([, f]) => f.status || f.slow).length, 'lost', lostPaths.length, o.ratio);
	for (const p of lostPaths.slice(0, 3)) console.log(p, o.errors.get(p), o.log.filter((l) => l.path === p).map((l) => `${l.method}@${(l.at / 1000).toFixed(1)}`).join(' '));
	const bins: Record<number, number> = {};
	for (const l of o.log) bins[Math.floor(l.at / 100000)] = (bins[Math.floor(l.at / 100000)] ?? 0) + 1;
	console.log(bins);
})();
