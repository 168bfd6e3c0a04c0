/** What both nodes load. It has its own bundle (gulpfile.js), since state that a process shares must exist only once. */
export { instanceLists, instanceOperations, instanceProperties, instanceRouting } from './instance';
export { pollInstances } from './trigger/pollInstances';
export { MOST_IDS, triggerProperties } from './trigger/settings';
