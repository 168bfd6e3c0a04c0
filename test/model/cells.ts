import fc from 'fast-check';

/** Zones of workflows: with and without changes, half hours, changes at midnight, far from UTC. */
export const ZONES = [
	...['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'],
	...['America/Santiago', 'Pacific/Kiritimati', 'Africa/Cairo', 'UTC', 'Asia/Beirut'],
	'Atlantic/Azores',
];

const INVISIBLE = [
	...Array<string>(20).fill(''),
	...[' ', ' ', ' ', '\u200b', '\ufeff', '\u00a0', '\u200e', '\n', '\t', '  '],
];
const around = (text: fc.Arbitrary<string>) =>
	fc
		.tuple(fc.constantFrom(...INVISIBLE), text, fc.constantFrom(...INVISIBLE))
		.map((parts) => parts.join(''));

const ODD_VALUES: unknown[] = [
	...[undefined, null, true, false, '', ' ', '\t', '\u00a0', '\u200b', '\ufeff', 0, -1, 1.5, 1e21],
	...[2 ** 53, 2 ** 53 - 1, {}, { id: 7 }, [], [null], [''], ['', null], [[]], { value: 7 }, '[]'],
	...['[ ]', '[null]', '[""]', '{}', 'null', 'undefined', 'None', 'n/a', 'NaN', '-', '—'],
	...['[object Object]', '{"id":7}', '__proto__', 'constructor', '\u0000', '\ud800', 'x\udc00'],
	'😀',
];
export const oddValue = fc.oneof(
	{ weight: 9, arbitrary: fc.constantFrom(...ODD_VALUES) },
	fc.jsonValue({ maxDepth: 3 }),
);

const natural = fc.integer({ min: 1, max: 400 });
const idText = fc.oneof(
	{ weight: 6, arbitrary: natural.map(String) },
	natural.map((n) => `+${n}`),
	natural.map((n) => `0${n}`),
	natural.map((n) => `${n}.0`),
	natural.map((n) => `-${n}`),
	natural.map((n) => `${n}e1`),
	natural.map((n) => `0x${n}`),
	natural.map((n) => `#${n}`),
	natural.map((n) => `'${n}`),
	natural.map((n) => `"${n}"`),
	natural.map((n) => `${n}n`),
	natural.map((n) => `${n}_0`),
	natural.map((n) =>
		String(n).replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
	),
	natural.map((n) =>
		String(n).replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))),
	),
	natural.map((n) => [...String(n)].join('\u200b')),
	fc.constantFrom(
		...['0', '00', '9007199254740991', '9007199254740992', '9007199254740993'],
		...['99999999999999999999', '1/../2', '1?x=2', '1#2', '1%2f2', '7;8', '1 2', '1,234', '１'],
		...['²', 'Ⅶ', 'abc'],
	),
);

const urlOf = (base: () => string) =>
	fc.tuple(natural, fc.integer({ min: 0, max: 19 })).map(([n, form]) => {
		const url = base();
		const { host, hostname, port } = new URL(url);
		return (
			[
				...[`${url}/instances/${n}/`, `${url}/instances/${n}/`, `${url}/instances/${n}/`],
				`${url}/instances/${n}`,
				`${url.toUpperCase()}/instances/${n}/`.replace('/API', '/api'),
				`${url.replace('http:', 'HTTPS:')}/instances/${n}/`,
				...[`http://${hostname}:1/api/instances/${n}/`, `http://${hostname}/api/instances/${n}/`],
				`http://localhost:${port}/api/instances/${n}/`,
				`https://staging.example/api/instances/${n}/`,
				`https://${hostname}.evil.example/api/instances/${n}/`,
				...[`http://${host}@evil.example/api/instances/${n}/`, `${url}/processes/${n}/`],
				...[`${url}/public/${n}/`, `http://${host}/status/${n}/abc`],
				...[`${url}/instances/${n}/?inject_values=true`, `${url}/instances/${n}/#x`],
				...[`${url}/instances/${n}/steps/4/`, `${url}/instances/`, `${url}/instances/1/../${n}/`],
			][form] ?? ''
		);
	});

/** What a cell for the ID of one instance may hold. */
export const idCell = (base: () => string): fc.Arbitrary<unknown> =>
	fc.oneof(
		oddValue,
		natural,
		fc.constantFrom<unknown>(1e300, 9007199254740991, 7.0000001, [7], ['7'], [7, 8]),
		{ weight: 4, arbitrary: around(idText) },
		{ weight: 4, arbitrary: around(urlOf(base)) },
		fc.string({ unit: 'binary', maxLength: 12 }),
	);

const big = fc.integer({ min: 1, max: 9_999 });
const joined = fc
	.tuple(
		fc.array(
			fc.oneof(
				{ weight: 8, arbitrary: big.map(String) },
				idText,
				fc.constant(''),
				fc.constant(' '),
			),
			{ minLength: 1, maxLength: 5 },
		),
		fc.constantFrom(
			...[',', ',', ', ', ';', '; ', '\t', '\n', '\r\n', ' ', '|', ' ,', ',,', '.', '/', '，'],
			...['、', "'", '\u00a0', '\u202f', ' and '],
		),
	)
	.map(([parts, separator]) => parts.join(separator));
const mixed = fc
	.array(fc.tuple(big.map(String), fc.constantFrom(',', ', ', ';', '\n', '\t')), {
		minLength: 2,
		maxLength: 5,
	})
	.map((parts) => parts.flat().slice(0, -1).join(''));
const thousands = fc
	.tuple(
		fc.integer({ min: 1, max: 999 }),
		fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 3 }),
		fc.constantFrom(',', '.', ' ', "'", '\u00a0', '\u202f', ', '),
	)
	.map(([head, groups, separator]) =>
		[head, ...groups.map((group) => String(group).padStart(3, '0'))].join(separator),
	);
const listEntry = fc.oneof(
	{ weight: 5, arbitrary: big as fc.Arbitrary<unknown> },
	{ weight: 4, arbitrary: big.map(String) },
	idText,
	thousands,
	oddValue,
	fc.array(big, { maxLength: 2 }),
);
const anArray = fc.array(
	fc.oneof(
		{ weight: 6, arbitrary: big as fc.Arbitrary<unknown> },
		{ weight: 1, arbitrary: listEntry },
	),
	{ maxLength: 5 },
);
const mangled = (text: fc.Arbitrary<string>) =>
	fc
		.tuple(text, fc.integer({ min: 0, max: 9 }))
		.map(
			([json, form]) =>
				[
					json,
					json,
					json,
					json,
					json.slice(0, -1),
					json.replaceAll('"', "'"),
					`${json},`,
					json.replaceAll(',', ', '),
					`\`\`\`json\n${json}\n\`\`\``,
					json.replaceAll('"', ''),
				][form] ?? json,
		);

/** What a cell for a list of IDs may hold. */
export const idsCell = (base: () => string): fc.Arbitrary<unknown> =>
	fc.oneof(
		oddValue,
		big,
		anArray,
		{ weight: 3, arbitrary: around(joined) },
		{ weight: 2, arbitrary: around(mixed) },
		{ weight: 2, arbitrary: around(thousands) },
		{ weight: 2, arbitrary: mangled(anArray.map((list) => JSON.stringify(list))) },
		fc.array(urlOf(base), { minLength: 1, maxLength: 3 }).map((urls) => urls.join(', ')),
		fc.array(fc.oneof(urlOf(base), big.map(String)), { minLength: 1, maxLength: 3 }),
		fc.string({ unit: 'binary', maxLength: 12 }),
		fc.constantFrom(
			...['[9007199254740993]', '[1e3]', '[1.0]', '[1, 2', '1, 2]', '12,34,567', '1,2,3', '1,2'],
			...['1, 2', '19,99', '1,234,567', '101,102,103', '1,234;5', '7,', ',7', ',', ',,', '7 8'],
			'7  8 9',
		),
	);

const word = fc.constantFrom(
	...['a', 'b', 'draft', 'urgent', 'Urgent', 'Zürich', 'Zu\u0308rich', 'é', 'e\u0301', 'Å', 'Å'],
	...['year end', 'x'.repeat(60), '日本', '😀', '5', '1.5', "it's", 'C++', 'null', 'none', '#1'],
	...['@me', 'a/b', 'a:b', 'a.b', 'a=b', 'a_b', 'a-b', '{}', '=1', '<b>', '🇩🇪', '👩‍👩‍👧'],
	...['a\u200bb', '\u202eabc', '&amp;', '100%', '\\n', 'a\\,b', '*'],
);
const decorated = fc.tuple(word, fc.integer({ min: 0, max: 39 })).map(([text, form]) => {
	const wrapped = [
		...[`[${text}]`, `(${text})`, `"${text}"`, `'${text}'`, `“${text}”`, `„${text}“`, `«${text}»`],
		...[`\`${text}\``, `[${text}`, `(${text}`, `${text})`, `${text}]`, `{${text}}`, `{${text}`],
		...[`${text};${text}`, `${text}|b`, `${text}\tb`, `${text}，b`, `${text}、b`, `${text}؛b`],
		...[`"${text}`, `${text}"`, `${text}\nb`, `${text} (b, c)`, `（${text}，c）`, `${text}\ud800`],
		`[object Object]`,
	];
	return wrapped[form] ?? text;
});
const tagText = fc
	.tuple(
		fc.array(around(fc.oneof({ weight: 2, arbitrary: word }, decorated)), {
			minLength: 1,
			maxLength: 4,
		}),
		fc.constantFrom(',', ', ', ' ,', ',,'),
	)
	.map(([parts, separator]) => parts.join(separator));
const tagEntry = fc.oneof(
	{ weight: 6, arbitrary: around(fc.oneof(word, decorated)) as fc.Arbitrary<unknown> },
	oddValue,
	fc.constant('a, b'),
	fc.constant('a;b'),
);
const tagList = fc.array(tagEntry, { maxLength: 5 });

/** What a cell for tags may hold. */
export const tagsCell: fc.Arbitrary<unknown> = fc.oneof(
	oddValue,
	{ weight: 8, arbitrary: tagText },
	{ weight: 3, arbitrary: tagList },
	{ weight: 3, arbitrary: mangled(tagList.map((list) => JSON.stringify(list))) },
	fc.string({ unit: 'binary', maxLength: 12 }),
	fc.string({ unit: 'grapheme', maxLength: 12 }),
	fc.constantFrom<unknown>(
		...['[draft]', '[draft], b', '[a, b]', "['a', 'b']", '["a", "b"', '"a, b"', '{a, b}'],
		...['```json\n["a"]\n```', 'a;b', 'a; b', 'a|b', 'a\tb', 'a，b', 'a、b', 'a،b', 'a\nb'],
		...['[9007199254740993]', '[1e400]', 'a (b), c', 'a (b, c)', ':)', '1) a, 2) b', '5" pipe'],
		...["'tis", '“a”, “b”', '"a" , b', 'a "b"', '[a] b', '[[draft]]', '["a",["b"]]', '[{"a":1}]'],
		...['a,, b,', 5, 1.5, ['a', 5], ['a', true]],
	),
);

const pad = (number: number, size = 2) => String(number).padStart(size, '0');
const CHANGES = [
	...['2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-04-05', '2026-10-04'],
	...['2026-09-06', '2026-04-24', '2026-10-29', '2026-03-28', '2026-10-31', '2026-02-29'],
	...['2026-02-30', '2024-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-07-00'],
];
const day = fc.oneof(
	fc
		.date({ min: new Date('1995-01-01'), max: new Date('2110-01-01'), noInvalidDate: true })
		.map((date) => date.toISOString().slice(0, 10)),
	fc.constantFrom(...CHANGES),
	fc.constantFrom(...CHANGES),
);
const time = fc
	.tuple(
		fc.oneof(
			{ weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) },
			{ weight: 8, arbitrary: fc.integer({ min: 0, max: 23 }) },
			{ weight: 1, arbitrary: fc.integer({ min: 24, max: 25 }) },
		),
		fc.integer({ min: 0, max: 59 }),
		fc.integer({ min: 0, max: 19 }),
	)
	.map(([hour, minute, form]) => {
		const text = `${pad(hour)}:${pad(minute)}`;
		return (
			[
				`${text}:30.5`,
				`${text}:30.123456`,
				`${text}:30,5`,
				text,
				text,
				...[`${text}:60`, `${pad(hour)}:${pad(minute + 30)}:00`, '24:00:00', `${text}:30.999999`],
				pad(hour),
				`${pad(hour)}${pad(minute)}`,
			][form] ?? `${text}:00`
		);
	});
const AREAS = [
	...['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Europe/London'],
	...['America/Argentina/Buenos_Aires', 'Etc/GMT+2', 'Etc/UTC', 'US/Eastern'],
	...['Australia/Lord_Howe', 'Europe/Nowhere', 'europe/berlin', 'Pacific/Apia', 'America/St_Johns'],
];
const ABBREVIATIONS = [
	...['BST', 'IST', 'CST', 'EST', 'PST', 'CET', 'CEST', 'MEZ', 'EDT', 'MST', 'HST', 'AST', 'EET'],
	...['WET', 'MSK', 'JST', 'PRC', 'PST8PDT', 'Japan', 'Zulu', 'A', 'J', 'Berlin', 'local'],
];
const OFFSETS = [
	...['+02:00', '-05:00', '+00:00', '-00:00', '+05:30', '+0200', '-0330', '+02', '+14:00'],
	...['-12:00', '+15:00', '+24:00', '+25:00', '+02:60', '−02:00', '+2', '+2:00', 'UTC+2'],
	...['GMT+02:00', 'UTC-05:00', 'GMT-0500', '+02:00:00'],
];
const zone = fc.oneof(
	fc.constant('Z'),
	fc.constantFrom('Z', 'UTC', 'GMT', 'z', 'utc'),
	fc.constantFrom(...OFFSETS),
	fc.constantFrom(...OFFSETS.slice(0, 10)),
	fc.constantFrom(...AREAS),
	fc.constantFrom(...ABBREVIATIONS),
);
const bracketed = fc.oneof(
	{ weight: 4, arbitrary: zone.map((name) => `[${name}]`) },
	fc.constantFrom(
		...['[!Europe/Berlin]', '[u-ca=gregory]', '[Europe/Berlin][u-ca=gregory]', '[]'],
		...['[Europe/Berlin', '(Europe/Berlin)', '[ Europe/Berlin ]', '[UTC+2]'],
	),
);
const isoText = fc
	.tuple(
		day,
		fc.constantFrom('T', 'T', 'T', ' ', 't', '  '),
		time,
		fc.oneof(
			fc.constant(''),
			zone,
			zone.map((text) => ` ${text}`),
		),
		fc.oneof(
			{ weight: 3, arbitrary: fc.constant('') },
			bracketed,
			bracketed.map((text) => ` ${text}`),
		),
	)
	.map((parts) => parts.join(''));
const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const otherText = fc
	.tuple(day, time, fc.integer({ min: 0, max: 17 }), zone)
	.map(([date, clock, form, place]) => {
		const [year = '', month = '', dayOfMonth = ''] = date.split('-');
		return (
			[
				...[`${month}/${dayOfMonth}/${year}`, `${dayOfMonth}.${month}.${year}`],
				...[`${year}/${month}/${dayOfMonth}`, `${dayOfMonth}.${month}.${year} ${clock}`],
				`${month}/${dayOfMonth}/${year} ${clock}`,
				`${Number(dayOfMonth)} ${NAMES[Number(month) - 1]} ${year} ${clock}`,
				`Wed, ${dayOfMonth} ${NAMES[Number(month) - 1]} ${year} ${clock} ${place}`,
				`Wed ${NAMES[Number(month) - 1]} ${dayOfMonth} ${year} ${clock} GMT+0200 (Central European Summer Time)`,
				`${year}${month}${dayOfMonth}`,
				...[`${year}${month}${dayOfMonth}T${clock.replaceAll(':', '')}`, `${year}-${month}`],
				year,
				`${year}-W27-3`,
				`${year}-182`,
				clock,
				`T${clock}`,
				`${date}T${clock}/P1D`,
				`+00${year}-${month}-${dayOfMonth}T${clock}Z`,
			][form] ?? ''
		);
	});
const moment = fc.integer({ min: Date.UTC(1999, 0), max: Date.UTC(2102, 0) });

/** What a cell for a deadline may hold. */
export const dateCell: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 10, arbitrary: around(isoText) },
	{ weight: 3, arbitrary: day },
	{ weight: 3, arbitrary: fc.tuple(day, time).map((parts) => parts.join('T')) },
	{ weight: 3, arbitrary: otherText },
	oddValue,
	fc.oneof(
		moment,
		moment.map((ms) => Math.floor(ms / 1000)),
		moment.map(String),
		moment.map((ms) => ms / 1000),
		fc.constantFrom(
			...[46204, 20260701, 946684799, 946684800, 4102444799, 4102444800, 1e15, 1782900000000000],
		),
	),
	fc.constantFrom<unknown>(
		...['today', 'tomorrow', 'now', 'P1D', '2026-07-01T10:00:00Z/2026-07-02T10:00:00Z'],
		...[['2026-07-01'], { value: '2026-07-01' }, '2026-07-01T10:00:00+02:00[Europe/Berlin]'],
	),
);
