import type { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import { messageOf } from '../../../core/base/errors.ts';
import type { Transaction } from '../../../core/database/database.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import { subscriptionIdOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import type { Plan } from '../../store/tables/retry/acknowledgment.ts';
import {
  findInstruction,
  hasNewerInstruction,
  lockInstructionsOfInvoice,
  type StoredInstruction,
  settleInstruction,
} from '../../store/tables/retry/instructions.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { isTakenOver } from '../../store/tables/retry/takeovers.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { giveUp, takeUpAgain } from '../ending/give-up.ts';
import { customerZone } from '../invoice/customer-zone.ts';
import { planInstruction } from './plan-instruction.ts';
import { readPlanningFacts } from './planning-facts.ts';

/** Plans that settle an instruction. */
type Schedule = Exclude<Plan, { kind: 'stop' | 'take_over' }>;

interface InvoiceFacts {
  readonly status: string;
  readonly customerId: string;
  readonly subscriptionId: string | undefined;
}

/** Turns a recorded instruction into an action, once, and records the result. */
export function createInstructionHandler(deps: RetryDeps): JobHandler<PluginQueues['schedule-instruction']> {
  const read = createInvoiceMemory(deps);
  return {
    handle: async ({ account, requestId }) => {
      const instruction = await findInstruction(deps.database, account, requestId);
      if (!instruction || instruction.handledAt !== null) return;
      const { invoiceId } = instruction;
      if (instruction.type === 'unknown' || invoiceId === null) {
        return settle(deps, instruction, { kind: 'no_action', reason: { code: 'message_not_understood' } });
      }
      return plan(deps, instruction, { invoiceId, read });
    },
    onDead: async ({ account, requestId }, error) => {
      const text = messageOf(error);
      const outcome = { state: 'failed', reason: { code: 'failed', error: text } } as const;
      await settleInstruction(deps.database, { account, requestId }, outcome, deps.clock.now());
    },
  };
}

async function plan(
  deps: RetryDeps,
  instruction: StoredInstruction,
  { invoiceId, read }: { invoiceId: string; read: ReadInvoice },
): Promise<void> {
  const { account, requestId } = instruction;
  const now = deps.clock.now();
  const facts = await readPlanningFacts(deps, deps.database, instruction, now);
  const { invoice: stored } = facts;
  const invoice = stored
    ? { ...stored, subscriptionId: stored.subscriptionId ?? undefined }
    : await read(account, invoiceId);
  if (!invoice)
    return settle(deps, instruction, { kind: 'refused', reason: { code: 'invoice_unknown', invoiceId } });
  const zone = await getZone(deps, instruction, invoice.customerId);
  const schedule = planInstruction({ ...facts, zone, invoice: { id: invoiceId, status: invoice.status } });
  if (schedule.kind === 'stop') return stop(deps, instruction, invoiceId);
  if (schedule.kind === 'take_over') return takeOver(deps, instruction, invoiceId);
  if (schedule.kind !== 'action') return settle(deps, instruction, schedule);
  await deps.database.transaction(async (tx) => {
    // Jobs run in parallel: a later instruction may be planned already, and stays in force.
    await lockInstructionsOfInvoice(tx, account, invoiceId);
    if (await hasNewerInstruction(tx, account, requestId)) {
      await settleIn(tx, deps, instruction, { kind: 'no_action', reason: { code: 'newer_instruction' } });
      return;
    }
    if (!(await settleIn(tx, deps, instruction, schedule))) return;
    const target = { account, invoiceIds: [invoiceId], cause: 'instruction' } as const;
    await closeScheduledActions(tx, target, { code: 'replaced', requestId }, now);
    await takeUpAgain(tx, account, [invoiceId], now);
    const { customerId, subscriptionId } = invoice;
    const { action: kind, dueAt } = schedule;
    const owner = { account, invoiceId, customerId, subscriptionId };
    const why = { cause: 'instruction', reference: requestId, requestId } as const;
    await planAction(deps, tx, { ...owner, ...why, kind, dueAt, createdAt: now });
  });
}

async function stop(deps: RetryDeps, instruction: StoredInstruction, invoiceId: string): Promise<void> {
  const { account, requestId } = instruction;
  const now = deps.clock.now();
  await deps.database.transaction(async (tx) => {
    await lockInstructionsOfInvoice(tx, account, invoiceId);
    if (await hasNewerInstruction(tx, account, requestId)) {
      await settleIn(tx, deps, instruction, { kind: 'no_action', reason: { code: 'newer_instruction' } });
      return;
    }
    const reason = { code: 'stopped_by_service', requestId } as const;
    const count = await closeScheduledActions(tx, { account, invoiceIds: [invoiceId] }, reason, now);
    await settleIn(tx, deps, instruction, {
      kind: 'no_action',
      reason: { code: 'actions_stopped', count },
    });
    const because = { code: 'dunning_completed' } as const;
    await giveUp(deps, tx, { account, invoiceId }, { reason: because, occasion: requestId });
    // In advisory mode an invoice taken over at the service's request returns to Stripe's retries.
    if (deps.config.mode === 'advisory' && (await isTakenOver(tx, { account, invoiceId })))
      await deps.enqueue('hand-back-invoice', [{ data: { account, invoiceId, reason: because } }], tx);
  });
}

/** Leaves the invoice to the service alone; its planned actions stay. */
async function takeOver(deps: RetryDeps, instruction: StoredInstruction, invoiceId: string): Promise<void> {
  const { account, requestId } = instruction;
  await deps.database.transaction(async (tx) => {
    const reason = { code: 'service_takes_over', requestId } as const;
    if (!(await settleIn(tx, deps, instruction, { kind: 'no_action', reason }))) return;
    await deps.enqueue('take-over-invoice', [{ data: { account, invoiceId, requestId } }], tx);
  });
}

async function settle(deps: RetryDeps, instruction: StoredInstruction, schedule: Schedule): Promise<void> {
  await deps.database.transaction((tx) => settleIn(tx, deps, instruction, schedule));
}

/** False if another worker settled it first. */
async function settleIn(
  tx: Transaction,
  deps: RetryDeps,
  instruction: StoredInstruction,
  schedule: Schedule,
): Promise<boolean> {
  const { account, requestId, suggestion } = instruction;
  const now = deps.clock.now();
  const isAction = schedule.kind === 'action';
  const state = isAction ? 'scheduled' : schedule.kind;
  const reason = isAction ? toPlanned(schedule) : schedule.reason;
  const source = await settleInstruction(tx, { account, requestId }, { state, reason }, now);
  if (source === undefined) return false;
  const invoiceId = instruction.invoiceId ?? undefined;
  const detail = { requestId, source, suggestion, reason };
  await recordAudit(tx, { account, at: now, invoiceId, kind: `instruction.${state}`, detail });
  return true;
}

function toPlanned({ action, dueAt, predicted }: Extract<Schedule, { kind: 'action' }>): Reason {
  const instead = predicted?.asks === action ? predicted.reason.code : undefined;
  return { code: 'planned', action, dueAt: toIso(dueAt), instead };
}

const REMEMBERED_MINUTES = 5;
const MOST_REMEMBERED = 5_000;

type ReadInvoice = (account: string, id: string) => Promise<InvoiceFacts | undefined>;

/** Reads unknown invoices from Stripe, at most once in five minutes each. */
function createInvoiceMemory({ clock, stripe }: RetryDeps): ReadInvoice {
  const known = new Map<
    string,
    { readonly until: DateTime; readonly facts: Promise<InvoiceFacts | undefined> }
  >();
  return async (account, id) => {
    const key = `${account} ${id}`;
    const now = clock.now();
    const remembered = known.get(key);
    if (remembered && remembered.until > now) return remembered.facts;
    const facts = readInvoiceFacts(stripe, account, id);
    known.delete(key);
    known.set(key, { until: now.plus({ minutes: REMEMBERED_MINUTES }), facts });
    facts.catch(() => known.delete(key));
    const [oldest] = known.keys();
    if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
    return facts;
  };
}

async function readInvoiceFacts(
  stripe: RetryDeps['stripe'],
  account: string,
  id: string,
): Promise<InvoiceFacts | undefined> {
  const invoice = await stripe.findInvoice(account, id);
  return (
    invoice && {
      status: invoice.status ?? 'draft',
      customerId: customerIdOf(invoice) ?? '',
      subscriptionId: subscriptionIdOf(invoice),
    }
  );
}

/** Only emails depend on the customer's zone, so only they read the customer. */
async function getZone(deps: RetryDeps, instruction: StoredInstruction, customerId: string): Promise<string> {
  if (instruction.suggestion === 'ACTION_SUGGESTION_RETRY' || customerId === '') return deps.config.timeZone;
  return customerZone(deps, await deps.stripe.findCustomer(instruction.account, customerId));
}
