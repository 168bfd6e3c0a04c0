import type {
	IDataObject,
	INodeExecutionData,
	IPollFunctions,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { type Clock, systemClock } from '../api/clock';
import { NEXT_POLL } from '../api/messages';
import { asObject } from '../values/json';
import { type Connection, createConnection } from './connection';
import { asUserFacingError, logUnexpected, pollError } from './outputItems';
import { parameterReader, type Parameters } from './parameters';
import type { RequestOptions } from './requestOptions';
import { CREDENTIAL } from './transport';

/** Newer versions of n8n give up a poll after 45 seconds, and the next one may come after a minute. */
const LONGEST_POLL_MS = 35_000;
/** n8n tries an activation five times, and aborts it after 84 seconds with words of its own. */
const LONGEST_ACTIVATION_MS = 12_000;
/** What n8n says where it sets no limit: at an activation, and unless polls have leases. */
const UNBOUND_MS = 300_000;
/** So that an instance that does not respond leaves time for others. */
const LONGEST_READ_MS = 10_000;
/** After this share of the time nothing is asked any more; the rest is for responses that are on their way. */
const ASKING_SHARE = 6 / 7;

/** What a poll gives: the json of its items, none to have saved what it remembers, or null for nothing. */
export type PollOperation = (run: PollRun) => Promise<IDataObject[] | null>;

/** The polls that are under way, by what n8n keeps for their node: one process polls a node once at a time. */
const underWay = new WeakSet<object>();
/** The activations that a poll has ended, by the same. */
const activated = new WeakSet<object>();
/** Activations that nobody waits for: n8n has started, or has taken over from another main process. */
const UNATTENDED: readonly WorkflowActivateMode[] = ['init', 'leadershipChange'];

/** One poll of a trigger. */
export class PollRun {
	readonly parameters: Parameters;

	/** Whether somebody looks for a sample in the editor. */
	readonly isManual: boolean;

	readonly connection: Connection;

	private readonly budget: number;

	private readonly startedAt: number;

	constructor(
		private readonly context: IPollFunctions,
		readonly clock: Clock,
	) {
		this.startedAt = clock.now();
		const { parameters } = context.getNode();
		const evaluate = (name: string) => context.getNodeParameter(name, null);
		this.parameters = parameterReader(parameters, context.getTimezone(), { evaluate })(0);
		this.isManual = context.getMode() === 'manual';
		this.budget = this.longest();
		const sender = { continues: true, tryAgain: NEXT_POLL };
		this.connection = createConnection(context, sender, () => this.http());
	}

	/** Whether an activation of the workflow waits for this poll (docs/n8n-engine.md#when-a-poll-comes). */
	get isActivation(): boolean {
		return !this.isManual && !activated.has(this.kept) && this.granted >= UNBOUND_MS;
	}

	/** Whether somebody waits for what comes of it: in the editor, or who publishes the workflow. */
	get isAttended(): boolean {
		return this.isManual || (this.isActivation && !this.isUnattended);
	}

	/** What n8n keeps for the node between polls. */
	get kept(): IDataObject {
		return this.context.getWorkflowStaticData('node');
	}

	/** Under which ID n8n has the credential of the node. */
	get credentialId(): unknown {
		return asObject(asObject(this.context.getNode().credentials)[CREDENTIAL]).id;
	}

	/** Waits for work, but no longer than the poll may take; then nothing more is sent. */
	async inTime(work: Promise<unknown>): Promise<void> {
		const done = new AbortController();
		const waitUntil = async (share: number) =>
			await this.clock.sleep(this.startedAt + this.budget * share - this.clock.now(), done.signal);
		const timeIsUp = waitUntil(ASKING_SHARE).then(async () => {
			if (done.signal.aborted) return;
			this.connection.stop();
			await waitUntil(1);
		});
		await Promise.race([work, timeIsUp]);
		done.abort();
	}

	/**
	 * Carries out the poll, unless an earlier one of the same node still goes on in this process.
	 *
	 * @returns its items
	 * @throws NodeApiError when it gave nothing
	 */
	async carryOut(operation: PollOperation): Promise<INodeExecutionData[][] | null> {
		if (this.isManual) return await this.emit(operation);
		const { kept } = this;
		if (underWay.has(kept)) return null;
		underWay.add(kept);
		try {
			const items = await this.emit(operation);
			activated.add(kept);
			return items;
		} finally {
			underWay.delete(kept);
		}
	}

	private async emit(operation: PollOperation): Promise<INodeExecutionData[][] | null> {
		try {
			const items = await operation(this);
			return items && [items.map((json) => ({ json }))];
		} catch (cause) {
			const error = asUserFacingError(cause);
			logUnexpected([error], this.connection);
			if (this.isUnattended) {
				this.connection.log(
					'error',
					`The first poll failed, and the next one will try again: ${error.message}`,
				);
				return null;
			}
			throw pollError(this.context.getNode(), error, this.connection.redact);
		} finally {
			this.connection.leave();
		}
	}

	/** Whether n8n would try this poll a few times within seconds, and then never poll again. */
	private get isUnattended(): boolean {
		return this.isActivation && UNATTENDED.includes(this.context.getActivationMode());
	}

	/** How long n8n lets the poll take, in milliseconds; not every supported version says. */
	private get granted(): number {
		return this.context.getPollBudgetMs?.() ?? UNBOUND_MS;
	}

	/** How long the poll may take, in milliseconds. */
	private longest(): number {
		return Math.min(this.granted, this.isActivation ? LONGEST_ACTIVATION_MS : LONGEST_POLL_MS);
	}

	private http(): RequestOptions['http'] {
		const { clock } = this;
		const cutAt = this.startedAt + this.budget;
		return {
			get timeout() {
				return Math.min(Math.max(cutAt - clock.now(), 1), LONGEST_READ_MS);
			},
		};
	}
}

/** The `poll` of a trigger. */
export function polling(
	operation: PollOperation,
): (this: IPollFunctions) => Promise<INodeExecutionData[][] | null> {
	return async function () {
		return await new PollRun(this, systemClock).carryOut(operation);
	};
}
