import { name, version } from '../../../package.json';

/** The headers of every request, besides the one with the API key. */
export const HEADERS = { Accept: 'application/json', 'User-Agent': `${name}/${version}` };
