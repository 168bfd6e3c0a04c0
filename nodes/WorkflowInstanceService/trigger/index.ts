import { polling } from '../n8n/pollRun';
import { poll } from './operation';

export { triggerProperties } from './description';

/** The poll of the trigger, as n8n calls it. */
export const pollInstances = polling(poll);
