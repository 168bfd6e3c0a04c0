import fc from 'fast-check';

/** One of these values. */
export const oneOf = (...values: unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);

/** Mostly what is valid. */
export const mostly = <T>(usual: fc.Arbitrary<T>, ...odd: Array<fc.Arbitrary<T>>) =>
	fc.oneof({ weight: 6, arbitrary: usual }, ...odd);

/** A text in one of these forms, in which `$` stands for it. */
const written = (text: fc.Arbitrary<string>, forms: string[]) =>
	fc.tuple(text, fc.constantFrom(...forms)).map(([part, form]) => form.replaceAll('$', () => part));

const INVISIBLE = ' $|$ |\u200b$|\ufeff$|$\u00a0|$\u200e|\n$|$\t|  $ ';
const around = (text: fc.Arbitrary<string>) =>
	written(text, [...Array<string>(15).fill('$'), ...INVISIBLE.split('|')]);

export const oddValue = mostly(
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

/** What people and models make of JSON text. */
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
const word = fc.oneof(
	oneWord,
	oneWord,
	fc.constantFrom('year end', 'null', 'none', 'x'.repeat(60)),
);
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
