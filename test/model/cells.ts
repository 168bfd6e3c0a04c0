import fc from 'fast-check';
import { DateTime } from 'luxon';

/** Time zones of workflows: with and without clock changes, with half hours, with changes at midnight, far from UTC. */
export const ZONES = [
	...['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'],
	...['America/Santiago', 'Pacific/Kiritimati', 'Africa/Cairo', 'Asia/Beirut', 'Atlantic/Azores'],
];

export const oneOf = (...values: unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);

/** Mostly valid values. */
export const mostly = <T>(usual: fc.Arbitrary<T>, ...odd: Array<fc.Arbitrary<T>>) =>
	fc.oneof({ weight: 6, arbitrary: usual }, ...odd);

/** A text in one of these forms, with `$` as its placeholder. */
const written = (text: fc.Arbitrary<string>, forms: string[]) =>
	fc.tuple(text, fc.constantFrom(...forms)).map(([part, form]) => form.replaceAll('$', () => part));

const INVISIBLE = ' $|$ |\u200b$|\ufeff$|$\u00a0|$\u200e|\n$|$\t|  $ ';
const around = (text: fc.Arbitrary<string>) =>
	written(text, [...Array<string>(15).fill('$'), ...INVISIBLE.split('|')]);

const oddValue = mostly(
	oneOf(
		...[undefined, null, true, false, '', ' ', '\u200b', 0, -1, 1.5, 1e21, 2 ** 53, 2 ** 53 - 1],
		...[{}, { id: 7 }, [], [null], ['', null], [[]], { value: 7 }, '[]', '[ ]', '[null]', '[""]'],
		...['{}', 'null', 'undefined', 'None', 'n/a', 'NaN', '-', '[object Object]', '{"id":7}'],
		...['__proto__', 'constructor', '\u0000', '\ud800', 'x\udc00', '😀'],
	),
	fc.jsonValue({ maxDepth: 3 }),
);
const anyText = fc.string({ unit: 'binary', maxLength: 12 });

const texts = (max: number) => fc.integer({ min: 1, max }).map(String);
const digits = (zero: number) =>
	texts(400).map((number) =>
		number.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit))),
	);
const idText = fc.oneof(
	{ weight: 6, arbitrary: texts(400) },
	{ weight: 6, arbitrary: written(texts(400), `+$ 0$ $.0 -$ $e1 0x$ #$ '$ "$" $n $_0`.split(' ')) },
	digits(0xff10),
	digits(0x660),
	texts(400).map((number) => [...number].join('\u200b')),
	fc.constantFrom(
		...['0', '9007199254740991', '9007199254740992', '9007199254740993', '99999999999999999999'],
		...['1/../2', '1?x=2', '1#2', '1%2f2', '7;8', '1 2', '1,234', '²', 'Ⅶ', 'abc'],
	),
);

function urlOf(base: string): fc.Arbitrary<string> {
	const at = (host: string) => base.replace(/[\d.]+:\d+/, host);
	const bases = [
		...[base, base, base, base.toUpperCase().replace('/API', '/api')],
		...[base.replace('http:', 'HTTPS:'), at('127.0.0.1:1'), at('127.0.0.1'), at('localhost:1')],
		...[at('staging.example'), at('127.0.0.1.evil.example'), at('127.0.0.1@evil.example')],
	];
	const paths = [
		...['instances/$', 'processes/$/', 'public/$/', 'instances/$/?inject_values=true'],
		...['instances/$/#x', 'instances/$/steps/4/', 'instances/', 'instances/1/../$/'],
	];
	return written(texts(400), [
		...bases.map((each) => `${each}/instances/$/`),
		...paths.map((path) => `${base}/${path}`),
	]);
}

/** What a cell for the ID of one instance may contain. */
export const idCell = (base: string): fc.Arbitrary<unknown> =>
	fc.oneof(
		oddValue,
		oneOf(1, 7, 400, 1e300, 9007199254740991, 7.0000001, [7], ['7'], [7, 8]),
		{ weight: 4, arbitrary: around(idText) },
		{ weight: 4, arbitrary: around(urlOf(base)) },
		anyText,
	);

const big = fc.integer({ min: 1, max: 9_999 });
const joined = (entry: fc.Arbitrary<unknown>, separators: string[], minLength = 1) =>
	fc
		.tuple(fc.array(entry, { minLength, maxLength: 5 }), fc.constantFrom(...separators))
		.map(([parts, separator]) => parts.join(separator));
const SEPARATORS = [
	...[',', ',', ', ', ';', '; ', '\t', '\n', '\r\n', ' ', '|', ' ,', ',,', '.', '/', '，', '、'],
	...["'", '\u00a0', ' and '],
];
const mixed = fc
	.array(fc.tuple(big, fc.constantFrom(',', ', ', ';', '\n', '\t')), { minLength: 2, maxLength: 5 })
	.map((parts) => parts.flat().slice(0, -1).join(''));
/** The building blocks of text with IDs. */
const PIECES = [
	...['101', '102', '104', '0', '.', '-', '+', 'e1', '"', "'", '[', ']', '(', 'x', '²', '\u200b'],
	...[',', ',', ', ', ', ', '; ', '\n', '\t', ' ', '/', '#', '\u0661'],
];
const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((some) => some.join(''));
const group = fc.integer({ min: 0, max: 999 }).map((number) => String(number).padStart(3, '0'));
const thousands = fc
	.tuple(texts(999), joined(group, ['.', ' ', "'", '\u00a0', '\u202f', ', ', ',', ',']))
	.chain(([head, groups]) =>
		fc.constantFrom(...[',', '.', ' ', ', '].map((separator) => head + separator + groups)),
	);
const anArray = fc.array(
	mostly(
		big,
		fc.oneof(big.map(String), idText, thousands, oddValue, fc.array(big, { maxLength: 2 })),
	),
	{ maxLength: 5 },
);

/** What people and models do to JSON text. */
const MANGLED: Array<[part: RegExp, replacement: string]> = [
	...Array<[RegExp, string]>(4).fill([/^/, '']),
	[/.$/s, ''],
	[/$/, ','],
	[/,/g, ', '],
	[/"/g, "'"],
	[/"/g, ''],
	[/^.*$/s, '```json\n$&\n```'],
];
const jsonOf = (list: fc.Arbitrary<unknown[]>) =>
	fc
		.tuple(list, fc.constantFrom(...MANGLED))
		.map(([entries, [part, replacement]]) => JSON.stringify(entries).replace(part, replacement));

/** What a cell for a list of IDs may contain. */
export const idsCell = (base: string): fc.Arbitrary<unknown> =>
	fc.oneof(
		oddValue,
		big,
		anArray,
		{ weight: 3, arbitrary: around(joined(mostly(big, idText, oneOf('', ' ')), SEPARATORS)) },
		{ weight: 2, arbitrary: around(mixed) },
		{ weight: 6, arbitrary: pieces },
		{ weight: 2, arbitrary: around(thousands) },
		{ weight: 2, arbitrary: jsonOf(anArray) },
		joined(urlOf(base), [', ']),
		fc.array(fc.oneof(urlOf(base), texts(9)), { minLength: 1, maxLength: 3 }),
		anyText,
		oneOf(
			...['[9007199254740993]', '[1e3]', '[1.0]', '[1, 2', '1, 2]', '12,34,567', '1,2,3', '1,2'],
			...['1, 2', '19,99', '1,234,567', '101,102,103', '1,234;5', '7,', ',7', ',', ',,', '7 8'],
		),
	);

const WORDS =
	'a b draft urgent Urgent Zürich Zu\u0308rich é e\u0301 日本 😀 👩‍👩‍👧 5 1.5 C++ #1 @me ' +
	"it's a/b a:b a=b a-b {} =1 <b> a\u200bb \u202eabc &amp; a\\,b *";
const oneWord = fc.constantFrom(...WORDS.split(' '));
const rareWord = fc.constantFrom('year end', 'null', 'none', 'x'.repeat(60));
const word = fc.oneof(oneWord, oneWord, rareWord);
const WRAPPED =
	'[$] ($) "$" \'$\' “$” „$“ «$» `$` [$ ($ $) $] {$} {$ "$ $" （$，c） $\ud800 $，b $、b $؛b $;$ $|b $\tb $\nb';
const wrapped = written(oneWord, [...WRAPPED.split(' '), '$ (b, c)', '[object Object]']);
const tag = mostly(word, wrapped, wrapped, wrapped);
const tagList = fc.array(mostly(around(tag), oddValue, oneOf('a, b', 'a;b')), { maxLength: 5 });

/** What a cell for tags may contain. */
export const tagsCell: fc.Arbitrary<unknown> = fc.oneof(
	oddValue,
	{ weight: 8, arbitrary: joined(around(tag), [',', ', ', ' ,', ',,']) },
	{ weight: 3, arbitrary: tagList },
	{ weight: 3, arbitrary: jsonOf(tagList) },
	anyText,
	fc.string({ unit: 'grapheme', maxLength: 12 }),
	oneOf(
		...['[draft]', '[draft], b', '[a, b]', "['a', 'b']", '["a", "b"', '"a, b"', '{a, b}', 5, 1.5],
		...['a;b', 'a|b', 'a\tb', 'a，b', 'a、b', 'a،b', 'a\nb', '[9007199254740993]', '[1e400]', ':)'],
		...['a (b), c', 'a (b, c)', '1) a, 2) b', '5" pipe', "'tis", '“a”, “b”', '"a" , b', 'a "b"'],
		...['[a] b', '[[draft]]', '["a",["b"]]', '[{"a":1}]', 'a,, b,', ['a', 5], ['a', true]],
	),
);

/** Days on which clocks change somewhere, and days that don't exist. */
const DAYS =
	'2026-03-29 2026-10-25 2026-03-08 2026-11-01 2026-04-05 2026-10-04 2026-09-06 2026-04-24 ' +
	'2026-10-29 2026-03-28 2026-10-31 2026-02-29 2026-02-30 2024-02-29 2026-04-31 2026-13-01 ' +
	'2026-00-10 2026-07-00';
const moment = fc.integer({ min: Date.UTC(1995, 0), max: Date.UTC(2110, 0) });
const day = mostly(
	fc.constantFrom(...DAYS.split(' ')),
	moment.map((time) => new Date(time).toISOString().slice(0, 10)),
);
const twoDigits = (max: number) =>
	fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'));
const hour = fc.oneof(twoDigits(3), twoDigits(25));
const clock = fc.tuple(hour, twoDigits(59)).map((parts) => parts.join(':'));
const TIMES = '$:00 $:00 $:00 $:00 $ $ $:30.5 $:30.123456 $:30,5 $:60 $:30.999999'.split(' ');
const time = fc.oneof(
	{ weight: 12, arbitrary: written(clock, TIMES) },
	fc.tuple(hour, twoDigits(89)).map((parts) => parts.join('')),
	fc.constantFrom('24:00:00', '10', '10:75:00'),
);
const ZONE_TEXTS = [
	'Z',
	'Z UTC GMT z utc',
	'+02:00 -05:00 +00:00 -00:00 +05:30 +0200 -0330 +02 +14:00 -12:00',
	'+15:00 +24:00 +25:00 +02:60 −02:00 +2 +2:00 UTC+2 GMT+02:00 UTC-05:00 GMT-0500 +02:00:00',
	'Europe/Berlin America/New_York Asia/Kolkata Europe/London America/Argentina/Buenos_Aires ' +
		'Etc/GMT+2 Etc/UTC US/Eastern Australia/Lord_Howe Europe/Nowhere europe/berlin Pacific/Apia',
	'BST IST CST EST PST CET CEST MEZ EDT MST HST EET WET MSK JST PRC PST8PDT Japan Zulu A J local',
];
const zone = fc.oneof(...ZONE_TEXTS.map((texts) => fc.constantFrom(...texts.split(' '))));
const bracketed = fc.oneof(
	{ weight: 4, arbitrary: written(zone, ['[$]']) },
	fc.constantFrom(
		...['[!Europe/Berlin]', '[u-ca=gregory]', '[Europe/Berlin][u-ca=gregory]', '[]'],
		...['[Europe/Berlin', '(Europe/Berlin)', '[ Europe/Berlin ]'],
	),
);
const isoText = fc
	.tuple(
		day,
		fc.constantFrom('T', 'T', 'T', ' ', 't', '  '),
		time,
		fc.oneof(fc.constant(''), zone, written(zone, [' $'])),
		fc.oneof({ weight: 3, arbitrary: fc.constant('') }, bracketed, written(bracketed, [' $'])),
	)
	.map((parts) => parts.join(''));

/** Forms that Luxon can write. */
const FORMATS =
	'MM/dd/yyyy|dd.MM.yyyy|yyyy/MM/dd|dd.MM.yyyy HH:mm|MM/dd/yyyy HH:mm|d MMM yyyy HH:mm|HH:mm|' +
	"yyyyMMdd|yyyyMMdd'T'HHmm|yyyy-MM|yyyy|kkkk-'W'WW-c|yyyy-ooo|'T'HH:mm|yyyy-MM-dd'T'HH:mm'/P1D'|" +
	"'+00'yyyy-MM-dd'T'HH:mm'Z'|'Wed', d MMM yyyy HH:mm |'Wed', d MMM yyyy HH:mm |" +
	"'Wed' MMM dd yyyy HH:mm 'GMT+0200 (Central European Summer Time)'";
const OLD_ZONES = ['GMT', 'UTC', 'Z', '+0200', '-03:30', 'EST', 'CET', 'MSK'];
const otherText = fc
	.tuple(moment, fc.constantFrom(...FORMATS.split('|')), fc.constantFrom(...OLD_ZONES))
	.map(([at, format, place]) => {
		const text = DateTime.fromMillis(at, { zone: 'utc', locale: 'en' }).toFormat(format);
		return text.endsWith(' ') ? text + place : text;
	});

/** What a cell for a deadline may contain. */
export const dateCell: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 10, arbitrary: around(isoText) },
	{ weight: 3, arbitrary: day },
	{ weight: 3, arbitrary: fc.tuple(day, time).map((parts) => parts.join('T')) },
	{ weight: 3, arbitrary: otherText },
	oddValue,
	moment.chain((at) => oneOf(at, Math.floor(at / 1000), String(at), at / 1000)),
	oneOf(
		...[46204, 20260701, 946684799, 946684800, 4102444799, 4102444800, 1e15, 1782900000000000],
		...['today', 'tomorrow', 'now', 'P1D', ['2026-07-01'], { value: '2026-07-01' }],
		'2026-07-01T10:00:00+02:00[Europe/Berlin]',
	),
);
