import { toIso } from '../../../core/base/clock.ts';
import { messageOf } from '../../../core/base/errors.ts';
import { parseInstruction } from '../../../core/contract/contract.ts';
import type { Transaction } from '../../../core/database/database.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { idOf } from '../../clients/stripe-client.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { findHold, isHeld } from '../../store/tables/retry/holds.ts';
import {
  findInstruction,
  hasNewerInstruction,
  lockInstructionsOfInvoice,
  type StoredInstruction,
  settleInstruction,
} from '../../store/tables/retry/instructions.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { closeScheduledActions } from '../../store/tables/retry/stop-actions.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { giveUp, takeUpAgain } from '../ending/give-up.ts';
import { customerZone } from '../invoice/customer-zone.ts';
import { type Schedule, scheduleInstruction } from './schedule.ts';

interface InvoiceFacts {
  readonly status: string;
  readonly customerId: string;
  readonly subscriptionId: string | undefined;
}

/** Turns a recorded instruction into an action, once, and writes down what became of it and why. */
export function createInstructionHandler(deps: RetryDeps): JobHandler<PluginQueues['schedule-instruction']> {
  return {
    handle: async ({ account, requestId }) => {
      const instruction = await findInstruction(deps.database, account, requestId);
      if (!instruction || instruction.handledAt !== null) return;
      const { invoiceId } = instruction;
      if (instruction.type === 'unknown' || invoiceId === null) {
        return settle(deps, instruction, { kind: 'no_action', reason: { code: 'message_not_understood' } });
      }
      if (instruction.type === 'stop') return stop(deps, instruction, invoiceId);
      return plan(deps, instruction, invoiceId);
    },
    onDead: async ({ account, requestId }, error) => {
      const text = messageOf(error);
      const outcome = { state: 'failed', reason: { code: 'failed', error: text } } as const;
      await settleInstruction(deps.database, { account, requestId }, outcome, deps.clock.now());
    },
  };
}

async function plan(deps: RetryDeps, instruction: StoredInstruction, invoiceId: string): Promise<void> {
  const invoice = await getInvoiceFacts(deps, instruction.account, invoiceId);
  if (!invoice)
    return settle(deps, instruction, { kind: 'refused', reason: { code: 'invoice_unknown', invoiceId } });
  const hold = await findHold(deps.database, instruction.account, invoiceId);
  if (hold && isHeld(hold)) {
    const reason = { code: 'stopped_by_person', note: hold.reason } as const;
    return settle(deps, instruction, { kind: 'no_action', reason });
  }
  const now = deps.clock.now();
  const schedule = scheduleInstruction(instruction.suggestion ?? '', instruction.idealRetryAt ?? now, {
    now,
    retryHorizonDays: deps.config.retryHorizonDays,
    zone: await getZone(deps, instruction, invoice.customerId),
    window: deps.config.emailWindow,
    invoice: { id: invoiceId, status: invoice.status },
  });
  if (schedule.kind !== 'action') return settle(deps, instruction, schedule);
  await deps.database.transaction(async (tx) => {
    // Jobs run side by side: an instruction that arrived later may have been planned first, and it stands.
    await lockInstructionsOfInvoice(tx, instruction.account, invoiceId);
    if (await hasNewerInstruction(tx, instruction.account, instruction.requestId)) {
      await settleIn(tx, deps, instruction, { kind: 'no_action', reason: { code: 'newer_instruction' } });
      return;
    }
    if (!(await settleIn(tx, deps, instruction, schedule))) return;
    const reason = { code: 'replaced', requestId: instruction.requestId } as const;
    const target = { account: instruction.account, invoiceIds: [invoiceId], cause: 'instruction' } as const;
    await closeScheduledActions(tx, target, reason, now);
    await takeUpAgain(tx, instruction.account, [invoiceId], now);
    await insertPlanned(tx, deps, instruction, { invoiceId, invoice, schedule });
  });
}

async function insertPlanned(
  tx: Transaction,
  deps: RetryDeps,
  instruction: StoredInstruction,
  planned: { invoiceId: string; invoice: InvoiceFacts; schedule: Extract<Schedule, { kind: 'action' }> },
): Promise<void> {
  const { invoiceId, invoice, schedule } = planned;
  await planAction(deps, tx, {
    account: instruction.account,
    cause: 'instruction',
    reference: instruction.requestId,
    kind: schedule.action,
    invoiceId,
    customerId: invoice.customerId,
    subscriptionId: invoice.subscriptionId,
    requestId: instruction.requestId,
    dueAt: schedule.dueAt,
    createdAt: deps.clock.now(),
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
    if (saysComplete(instruction)) {
      const reason = { code: 'dunning_completed' } as const;
      await giveUp(deps, tx, { account, invoiceId }, { reason, occasion: requestId });
    }
  });
}

/** Of the messages that stop, this one says that it is over; the others may be followed by more (stripe-facts 12.1). */
function saysComplete({ body }: StoredInstruction): boolean {
  const parsed = parseInstruction(JSON.parse(body));
  return parsed.ok && parsed.value.type === 'stop' && parsed.value.reason === 'complete_dunning';
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

function toPlanned({ action, dueAt }: Extract<Schedule, { kind: 'action' }>): Reason {
  return { code: 'planned', action, dueAt: toIso(dueAt) };
}

async function getInvoiceFacts(
  deps: RetryDeps,
  account: string,
  id: string,
): Promise<InvoiceFacts | undefined> {
  const stored = await findInvoice(deps.database, account, id);
  if (stored) return { ...stored, subscriptionId: stored.subscriptionId ?? undefined };
  const invoice = await deps.stripe.findInvoice(account, id);
  if (!invoice) return undefined;
  return {
    status: invoice.status ?? 'draft',
    customerId: customerIdOf(invoice) ?? '',
    subscriptionId: idOf(invoice.parent?.subscription_details?.subscription),
  };
}

/** Only mail waits for the customer's hours, so only then is the customer read. */
async function getZone(deps: RetryDeps, instruction: StoredInstruction, customerId: string): Promise<string> {
  if (instruction.suggestion === 'ACTION_SUGGESTION_RETRY' || customerId === '') return deps.config.timeZone;
  return customerZone(deps, await deps.stripe.findCustomer(instruction.account, customerId));
}
