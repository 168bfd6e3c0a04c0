/**
 * What both nodes load. It is one bundle of its own (gulpfile.js): all runs and polls of a process
 * share one limiter, which must exist once.
 */
export { instanceLists, instanceOperations, instanceProperties } from './instance';
export { triggerProperties } from './trigger/description';
export { pollInstances } from './trigger/operation';
