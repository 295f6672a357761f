import type Stripe from 'stripe';
import { z } from 'zod';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { INVOICE_VOID } from '../../../core/contract/contract-extensions.ts';
import type { Transaction } from '../../../core/database/database.ts';
import { subscriptionIdOf } from '../../clients/chosen-methods.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { INVOICES, type InvoiceRow, listInvoiceStatuses } from '../../store/tables/sync/invoices.ts';
import type { MirrorWrite } from '../../store/tables/sync/mirror-version.ts';
import { upsertMirrors } from '../../store/tables/sync/mirrors.ts';
import { keepPayer } from '../../store/tables/sync/payers.ts';
import { mapInvoice } from '../map/map-invoice.ts';
import { stripeTime } from '../map/stripe-parts.ts';
import { eventObject, owned, reference, text, word } from './event-object.ts';
import {
  ConcurrentUpdateError,
  type EventStep,
  type PlanDeps,
  type SyncDeps,
  wakeDelivery,
} from './event-step.ts';
import { isLeftToSignUp } from './left-to-sign-up.ts';
import {
  type Mirrored,
  mirrorAgain,
  mirrorSnapshot,
  type Observation,
  printableReason,
} from './mirror-object.ts';
import { readPayer } from './note-payer.ts';

const line = z.object({
  description: text,
  pricing: z.object({ price_details: z.object({ price: reference }).nullish() }).nullish(),
});

export const INVOICE = eventObject(
  ['invoice_read'],
  z.object({
    object: z.literal('invoice'),
    id: word,
    ...owned,
    status: word.nullish(),
    billing_reason: text,
    amount_remaining: z.int(),
    amount_due: z.int(),
    currency: word,
    attempt_count: z.int32(),
    next_payment_attempt: stripeTime.nullish(),
    parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullish(),
    customer_name: text,
    customer_email: text,
    lines: z.object({ data: z.array(line).nullish() }).nullish(),
  }),
);

/** Statuses that end collection. */
export const FINAL_STATUSES: ReadonlySet<string> = new Set(['paid', 'void', 'uncollectible', 'deleted']);

const MIRROR: Mirrored<Stripe.Invoice, InvoiceRow> = {
  kind: 'invoices',
  find: (deps, account, id) => deps.stripe.findInvoice(account, id),
  toRow: toInvoiceRow,
  toCopy: (write) => ({ kind: 'invoices', write }),
  whenGone: async (deps, { account, event, snapshot, at }) => {
    if (event.type !== 'invoice.deleted') return { result: { code: 'gone', object: 'invoice' } };
    const row = await toInvoiceRow(deps, account, snapshot, { at, source: 'read' });
    return (
      row && {
        result: { code: 'deleted' },
        row: { ...row, status: 'deleted', message: undefined, unmappedReason: undefined },
      }
    );
  },
};

/** Stores an invoice, and stops its planned actions once it is settled. */
export const mirrorInvoice: EventStep = async (deps, received) => {
  const { object } = received.event.data;
  if (object.object !== 'invoice' || object.id === undefined)
    return { result: { code: 'ignored_object', expected: 'invoice' } };
  return mirrorSnapshot(deps, MIRROR, received, object);
};

export const rereadInvoice = (deps: SyncDeps, account: string, id: string) =>
  mirrorAgain(deps, MIRROR, account, id);

/** Undefined if Stripe must be asked whether it is forwarded. */
export async function toInvoiceRow(
  deps: PlanDeps,
  account: string,
  invoice: Stripe.Invoice,
  version: Pick<Observation, 'at' | 'source'>,
): Promise<InvoiceRow | undefined> {
  const businessEntity = await deps.businessEntity(account);
  const mapped = mapInvoice(invoice, { observedAt: version.at, businessEntity });
  const { invoices: isForwarded } = deps.config.forward;
  const unmappedReason =
    isForwarded && mapped.kind === 'unmappable' ? printableReason(mapped.reason) : undefined;
  if (unmappedReason !== undefined) {
    deps.logger.warn({ account, invoice: invoice.id, reason: unmappedReason }, 'an invoice is not forwarded');
  }
  const message = isForwarded && mapped.kind === 'message' ? mapped : undefined;
  const isLeft = message && (await isLeftToSignUp(deps, account, invoice));
  if (isLeft === 'unknown') return undefined;
  const forwarded = isLeft ? undefined : message;
  for (const warning of forwarded?.warnings ?? [])
    deps.logger.warn({ account, invoice: invoice.id, warning }, 'an invoice was mapped with a warning');
  const { next_payment_attempt: next } = invoice;
  return {
    account,
    id: invoice.id,
    number: invoice.number ?? undefined,
    customerId: customerIdOf(invoice) ?? '',
    subscriptionId: subscriptionIdOf(invoice),
    status: invoice.status ?? 'draft',
    amountRemaining: invoice.amount_remaining,
    amountDue: invoice.amount_due,
    currency: invoice.currency,
    attemptCount: invoice.attempt_count,
    nextAttemptAt: typeof next === 'number' ? fromUnixSeconds(next) : undefined,
    isFirst: invoice.billing_reason === 'subscription_create',
    message: forwarded?.message,
    ending: isForwarded && invoice.status === 'void' ? { state: INVOICE_VOID } : undefined,
    unmappedReason,
    payer: readPayer(invoice),
    version: version.at,
    versionSource: version.source,
  };
}

/** Stores invoices of one account, with the effects on deliveries and planned work. */
export async function storeInvoices(
  deps: SyncDeps,
  tx: Transaction,
  account: string,
  writes: readonly MirrorWrite<InvoiceRow>[],
): Promise<void> {
  for (const { row } of writes) if (row.payer) await keepPayer(tx, account, row.payer);
  const ended = writes.map(({ row }) => row).filter(({ status }) => FINAL_STATUSES.has(status));
  const endedIds = ended.map(({ id }) => id);
  const before = await listInvoiceStatuses(tx, account, endedIds);
  const stored = await upsertMirrors(tx, INVOICES, { account, writes });
  for (const { row } of writes) if (!stored.has(row.id)) throw new ConcurrentUpdateError(`Invoice ${row.id}`);
  if (writes.some(({ row }) => row.message || row.ending)) await wakeDelivery(deps, tx, account);
  for (const { id, status } of ended) {
    // Later plans knew the status: an uncollectible invoice can be paid (stripe-facts 3.1).
    if (before.get(id) === status) continue;
    const reason = { code: 'invoice_ended', status } as const;
    await closeScheduledActions(tx, { account, invoiceIds: [id] }, reason, deps.clock.now());
  }
}
