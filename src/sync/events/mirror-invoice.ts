import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { idOf } from '../../clients/stripe-client.ts';
import { fromUnixSeconds } from '../../clock.ts';
import type { Transaction } from '../../store/engine/database.ts';
import type { Basis, MirrorVersion, VersionSource } from '../../store/engine/mirror-version.ts';
import { closeScheduledActions } from '../../store/tables/retry/actions.ts';
import {
  findInvoice,
  findInvoiceVersion,
  type InvoiceRow,
  upsertInvoice,
} from '../../store/tables/sync/invoices.ts';
import { keepPayer } from '../../store/tables/sync/payers.ts';
import { mapInvoice } from '../map/map-invoice.ts';
import {
  ConcurrentUpdateError,
  type EventPlan,
  type EventStep,
  isOurVersion,
  type SyncDeps,
  wakeDelivery,
} from '../receive/event-step.ts';
import { BEFORE_ALL, judgeFreshness, readVersion } from './freshness.ts';
import { isLeftToSignUp } from './left-to-sign-up.ts';
import { readPayer } from './note-payer.ts';
import { printableReason } from './printable-reason.ts';

/** After these nothing is left to collect, or nobody may collect it. */
export const FINAL_STATUSES: ReadonlySet<string> = new Set(['paid', 'void', 'uncollectible', 'deleted']);

/** Keeps our copy of an invoice, and ends what is scheduled for it once it is settled, whoever settled it. */
export const mirrorInvoice: EventStep = async (deps, { account, event, createdAt }) => {
  const snapshot = event.data.object;
  if (snapshot.object !== 'invoice' || snapshot.id === undefined)
    return { result: { code: 'ignored_object', expected: 'invoice' } };
  const stored = await findInvoiceVersion(deps.database, account, snapshot.id);
  const verdict = judgeFreshness(stored, createdAt);
  if (verdict === 'stale') return { result: { code: 'stale' } };

  if (event.type === 'invoice.deleted') {
    const at = readVersion(deps.clock.now(), createdAt, stored);
    const row = await toInvoiceRow(deps, account, snapshot, { at, source: 'read' });
    return {
      result: { code: 'deleted' },
      apply: (tx) =>
        store(
          deps,
          tx,
          { ...row, status: 'deleted', message: undefined, unmappedReason: undefined },
          { stored },
        ),
    };
  }
  if (verdict === 'apply' && isOurVersion(event)) {
    const row = await toInvoiceRow(deps, account, snapshot, { at: createdAt, source: 'event' });
    return { result: { code: 'mirrored' }, apply: (tx) => store(deps, tx, row, { stored }) };
  }
  const plan = await readAgain(deps, account, { id: snapshot.id, createdAt, stored });
  return plan ?? { result: { code: 'gone', object: 'invoice' } };
};

/** What Stripe has now takes the place of what is stored. Undefined if it has no such invoice. */
export async function rereadInvoice(
  deps: SyncDeps,
  account: string,
  id: string,
): Promise<EventPlan | undefined> {
  const stored = await findInvoiceVersion(deps.database, account, id);
  return readAgain(deps, account, { id, createdAt: BEFORE_ALL, stored });
}

async function readAgain(
  deps: SyncDeps,
  account: string,
  { id, createdAt, stored }: { id: string; createdAt: DateTime; stored: MirrorVersion | undefined },
): Promise<EventPlan | undefined> {
  const at = readVersion(deps.clock.now(), createdAt, stored);
  const fresh = await deps.stripe.findInvoice(account, id);
  if (!fresh) return undefined;
  const row = await toInvoiceRow(deps, account, fresh, { at, source: 'read' });
  return { result: { code: 'mirrored', isReread: true }, apply: (tx) => store(deps, tx, row, { stored }) };
}

export async function toInvoiceRow(
  deps: SyncDeps,
  account: string,
  invoice: Stripe.Invoice,
  version: { at: DateTime; source: VersionSource },
): Promise<InvoiceRow> {
  const businessEntity = await deps.businessEntity(account);
  const mapped = mapInvoice(invoice, { observedAt: version.at, businessEntity });
  const { invoices: isForwarded } = deps.config.forward;
  const unmappedReason =
    isForwarded && mapped.kind === 'unmappable' ? printableReason(mapped.reason) : undefined;
  if (unmappedReason !== undefined) {
    deps.logger.warn({ account, invoice: invoice.id, reason: unmappedReason }, 'an invoice is not forwarded');
  }
  const forwarded =
    isForwarded && mapped.kind === 'message' && !(await isLeftToSignUp(deps, account, invoice))
      ? mapped
      : undefined;
  for (const warning of forwarded?.warnings ?? [])
    deps.logger.warn({ account, invoice: invoice.id, warning }, 'an invoice was mapped with a warning');
  const { next_payment_attempt: next } = invoice;
  return {
    account,
    id: invoice.id,
    customerId: customerIdOf(invoice) ?? '',
    subscriptionId: idOf(invoice.parent?.subscription_details?.subscription),
    status: invoice.status ?? 'draft',
    amountRemaining: invoice.amount_remaining,
    currency: invoice.currency,
    attemptCount: invoice.attempt_count,
    nextAttemptAt: typeof next === 'number' ? fromUnixSeconds(next) : undefined,
    message: forwarded?.message,
    unmappedReason,
    payer: readPayer(invoice),
    version: version.at,
    versionSource: version.source,
  };
}

async function store(deps: SyncDeps, tx: Transaction, row: InvoiceRow, basis: Basis): Promise<void> {
  if (row.payer) await keepPayer(tx, row.account, row.payer);
  const before = await findInvoice(tx, row.account, row.id);
  if (!(await upsertInvoice(tx, row, basis))) throw new ConcurrentUpdateError(`Invoice ${row.id}`);
  if (row.message) await wakeDelivery(deps, tx, row.account);
  const { status } = row;
  // What was planned since it came to its status knows of it: an uncollectible invoice can be paid (stripe-facts 3.1).
  if (!FINAL_STATUSES.has(status) || before?.status === status) return;
  const reason = { code: 'invoice_ended', status } as const;
  await closeScheduledActions(tx, { account: row.account, invoiceIds: [row.id] }, reason, deps.clock.now());
}
