/** One form field of a step; `value` is what a user entered, made from the instance id. */
interface FieldDefinition {
	id: number;
	label: string;
	value: (instanceId: number) => string;
}

/** One step of a process, in the order of work. */
export interface StepDefinition {
	id: number;
	name: string;
	stage: string;
	/** Days after the start of the instance until the step is due. */
	dueDays: number;
	/** Becomes active together with the step before it. */
	alongside?: boolean;
	fields: FieldDefinition[];
}

/** A workflow definition. */
export interface ProcessDefinition {
	id: number;
	title: string;
	automaticNaming: boolean;
	steps: StepDefinition[];
}

const pick = (values: readonly string[], instanceId: number): string =>
	values[instanceId % values.length] ?? '';

const DEPARTMENTS = ['Finance', 'Engineering', 'Customer care', 'Logistics'] as const;
const COST_CENTERS = ['4100', '4120', '5230', '6010', '7400'] as const;

const onboarding: ProcessDefinition = {
	id: 11,
	title: 'Employee onboarding',
	automaticNaming: false,
	steps: [
		{
			id: 1101,
			name: 'Collect personal details',
			stage: 'Preparation',
			dueDays: 3,
			fields: [{ id: 1, label: 'Department', value: (id) => pick(DEPARTMENTS, id) }],
		},
		{
			id: 1102,
			name: 'Order equipment',
			stage: 'Preparation',
			dueDays: 7,
			fields: [{ id: 2, label: 'Laptop', value: (id) => `NB-${2000 + id}` }],
		},
		{
			id: 1103,
			name: 'Create accounts',
			stage: 'Preparation',
			dueDays: 7,
			alongside: true,
			fields: [{ id: 3, label: 'User name', value: (id) => `user${id}` }],
		},
		{
			id: 1104,
			name: 'Introduce to the team',
			stage: 'First week',
			dueDays: 14,
			fields: [{ id: 4, label: 'Mentor', value: (id) => `Mentor ${1 + (id % 7)}` }],
		},
		{
			id: 1105,
			name: 'Review after one month',
			stage: 'Review',
			dueDays: 40,
			fields: [{ id: 5, label: 'Remarks', value: () => 'Settled in well' }],
		},
	],
};

const invoiceApproval: ProcessDefinition = {
	id: 12,
	title: 'Invoice approval',
	automaticNaming: false,
	steps: [
		{
			id: 1201,
			name: 'Record invoice',
			stage: 'Recording',
			dueDays: 2,
			fields: [
				{ id: 11, label: 'Amount', value: (id) => `${120 + id * 3}.50` },
				{ id: 12, label: 'Currency', value: () => 'EUR' },
			],
		},
		{
			id: 1202,
			name: 'Check against order',
			stage: 'Approval',
			dueDays: 5,
			fields: [{ id: 13, label: 'Cost center', value: (id) => pick(COST_CENTERS, id) }],
		},
		{
			id: 1203,
			name: 'Approve',
			stage: 'Approval',
			dueDays: 8,
			fields: [{ id: 14, label: 'Decision', value: () => 'approved' }],
		},
		{
			id: 1204,
			name: 'Pay',
			stage: 'Payment',
			dueDays: 14,
			fields: [{ id: 15, label: 'Payment reference', value: (id) => `PAY-${id}` }],
		},
	],
};

const purchaseRequest: ProcessDefinition = {
	id: 13,
	title: 'Purchase request',
	automaticNaming: true,
	steps: [
		{
			id: 1301,
			name: 'Describe the need',
			stage: 'Request',
			dueDays: 2,
			fields: [{ id: 21, label: 'Quantity', value: (id) => String(1 + (id % 12)) }],
		},
		{
			id: 1302,
			name: 'Compare offers',
			stage: 'Sourcing',
			dueDays: 10,
			fields: [{ id: 22, label: 'Best offer', value: (id) => `${80 + id}.00 EUR` }],
		},
		{
			id: 1303,
			name: 'Place order',
			stage: 'Ordering',
			dueDays: 15,
			fields: [{ id: 23, label: 'Order number', value: (id) => `PO-${id}` }],
		},
	],
};

const PROCESSES = new Map(
	[onboarding, invoiceApproval, purchaseRequest].map((process) => [process.id, process]),
);

/** Ids of the processes, by what they are for. Instances of `purchaseRequest` are auto-named. */
export const PROCESS_IDS = {
	onboarding: onboarding.id,
	invoiceApproval: invoiceApproval.id,
	purchaseRequest: purchaseRequest.id,
};

/** Returns the process with the ID, or undefined. */
export function findProcess(processId: number): ProcessDefinition | undefined {
	return PROCESSES.get(processId);
}

/**
 * Returns the name that a process with automatic naming makes.
 *
 * @param deadline ISO 8601 text or null; its date becomes part of the name
 */
export function automaticName(
	process: ProcessDefinition,
	instanceId: number,
	deadline: string | null,
): string {
	const number = String(instanceId).padStart(5, '0');
	const due = deadline === null ? '' : `, due ${deadline.slice(0, 10)}`;
	return `${process.title} ${number}${due}`;
}
