/** New employees in the names of onboarding instances. */
export const PEOPLE = [
	'Mara Lindqvist',
	'Tomasz Wójcik',
	'Aiko Tanaka',
	'Samuel Okafor',
	'Inés Herrero',
	'Jonas Weber',
	'Leïla Benali',
	'Petra Novák',
	'Marco Bellini',
	'Ruth Ashworth',
	"Niamh O'Brien",
] as const;

/** Suppliers in the names of invoice instances. */
export const SUPPLIERS = [
	'Nordlicht Logistik GmbH',
	'Brightwater Supplies Ltd',
	'Café & Söhne KG',
	'Delta Office S.A.',
	'Kestrel Electric',
	'Van Dijk Papier B.V.',
	'Atlas Cleaning Services',
] as const;

/** Sets of tags, used in turn. */
export const TAGS: ReadonlyArray<readonly string[]> = [
	[],
	['finance'],
	['hr', 'berlin'],
	['remote'],
	['year end', 'audit'],
	[],
	['hr'],
];
