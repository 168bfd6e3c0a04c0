import { historyOf, KINDS } from './histories';
import { simulate } from './simulate';
const [kind = '', n = '100', from = '0'] = process.argv.slice(2);
void (async () => {
	const name = Object.keys(KINDS).find((k) => k.includes(kind))!;
	for (let s = Number(from); s < Number(from) + Number(n); s++) {
		const h = historyOf(KINDS[name]!, s);
		const o = await simulate(h);
		if (o.isLate || o.lost > 0) {
			const l = h.limit;
			console.log(s, o.isLate ? 'LATE' : '', 'lost', o.lost, '/', o.items, 'ratio', o.ratio.toFixed(2), 'end', Math.round(o.end / 1000), 'req', o.requests, 'thr', o.throttled, l && `${l.requests}/${l.seconds} ${l.kind} ${l.countsThrottled ? 'COUNTS' : ''} ${l.isForWrites ? 'W' : ''} ${l.status} ${l.retryAfter}`, 'lat', h.latency, 'burst', h.burst, h.runs.map((r) => `${r.kind}${r.paths.length}p${r.process}@${r.startsAt}`).join(' '), [...o.errors.values()].find((e) => !e.includes('503') ) ?? '');
		}
	}
})();
