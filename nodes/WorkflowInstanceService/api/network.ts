import { isObject } from '../values/json';
import type { NoResponse } from './response';

/** Causes may be circular. */
const DEEPEST = 8;

function findCode(thrown: unknown, depth = 0): string {
	if (!isObject(thrown) || depth > DEEPEST) return '';
	const codes = [thrown.httpCode, thrown.code].filter((code) => typeof code === 'string');
	return codes.find((code) => !/^\d+$/.test(code)) ?? findCode(thrown.cause, depth + 1);
}

function findWords(thrown: unknown): string {
	if (!isObject(thrown)) return String(thrown);
	const words = [thrown.message, thrown.description].filter((each) => typeof each === 'string');
	const sentences = words.map((each) => each.trim().replace(/[^.!?]$/, '$&.'));
	return sentences.join(' ').trim();
}

/**
 * Why there was no response, as n8n reports it: the code is on what was thrown, or on its cause
 * (docs/dev/n8n-engine.md#failed-requests).
 *
 * @param thrown by n8n's request helper
 */
export function noResponse(thrown: unknown): NoResponse {
	return { networkCode: findCode(thrown), words: findWords(thrown) };
}
