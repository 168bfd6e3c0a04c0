/** What both nodes load, a bundle of its own (gulpfile.js): what all executions of a process share must exist once. */
export { instanceLists, instanceOperations, instanceProperties, instanceRouting } from './instance';
export { pollInstances } from './trigger/pollInstances';
export { MOST_IDS, triggerProperties } from './trigger/settings';
