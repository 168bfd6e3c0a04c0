import type { INodeParameters } from 'n8n-workflow';

import { locator } from './sandbox';

/** A step assignment as the service returns it. */
export const assigned = (step_id: number, user_id: number) => ({ step_id, user_id });

/** A step or user as the editor saves it. A number stays as it is, like from agents. */
const chosen = (id: unknown) =>
	typeof id === 'number' ? id : locator(String(id), id === '' ? 'list' : 'id');

export const stepChange = (action: string, step: unknown, user?: unknown): INodeParameters => ({
	...{ action, stepId: chosen(step) },
	...(user !== undefined && { userId: chosen(user) }),
});
export const reassign = (step: unknown, user: unknown) => stepChange('reassign', step, user);
export const add = (step: unknown, user: unknown) => stepChange('add', step, user);
export const remove = (step: unknown, user?: unknown) => stepChange('remove', step, user);

/** The value of Change Step Assignments with these rows. */
export const rows = (...change: INodeParameters[]): INodeParameters => ({ change });
