/** Accounts for every invoice with a failed payment: Stripe's view, the plugin's actions, the service's records. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { describeAction } from '../../plugin/actions/action-kinds.ts';
import { describeReason } from '../../plugin/operator/text/describe-reason.ts';
import type { Reason, ReasonCode } from '../../plugin/reasons/reason.ts';
import { OWN_ACCOUNT } from '../../plugin/settings/account.ts';
import { type LedgerRow, listInvoiceLedger } from '../../plugin/store/reports/invoice-ledger.ts';
import { type ListedCase, listCases } from '../../service/store/service-contents.ts';
import type { Charge, Invoice } from '../sandbox/objects/wire.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { CustomerWorld } from './customer-world.ts';
import { describeCaseReason, IN_STORY } from './text/words.ts';

/** The means of a recovery. */
export type RecoveryWay = 'retries' | 'new cards' | 'what customers did themselves';

export type Outcome =
  | { kind: 'recovered'; reason: string; way: RecoveryWay }
  | { kind: 'waiting' | 'given_up'; reason: string }
  /** Neither paid nor with a reason why not: the ledger does not balance. */
  | { kind: 'unexplained'; reason: string };

export interface InvoiceAccount {
  readonly id: string;
  readonly customer: string;
  readonly amount: number;
  readonly currency: string;
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly emails: number;
}

export const VOIDED = 'the merchant voided the invoice';

/** The embedded service's own organization. */
export const ORGANIZATION = 'default';

export async function readLedger({ sandbox, plugin, clock }: CustomerWorld): Promise<InvoiceAccount[]> {
  const { database } = plugin.parts;
  const ledger = new Map((await listInvoiceLedger(database, OWN_ACCOUNT)).map((row) => [row.id, row]));
  const cases = new Map((await listCases(database, ORGANIZATION)).map((row) => [row.invoiceId, row]));
  return listFailedInvoices(sandbox).map((invoice) => {
    const row = ledger.get(invoice.id);
    const sides = { sandbox, invoice, row, serviceCase: cases.get(invoice.id), now: clock.now() };
    return {
      id: invoice.id,
      customer: invoice.customer_name ?? '',
      amount: invoice.amount_due,
      currency: invoice.currency,
      outcome: judge(sides),
      attempts: row?.attemptsMade ?? 0,
      emails: row?.emailsSent ?? 0,
    };
  });
}

/** What an event is about. */
export const eventSubject = z.object({ id: z.string() });

/** Every invoice that Stripe reported a failed payment of, oldest first. */
export function listFailedInvoices({ state }: Sandbox): Invoice[] {
  const ids = new Set<string>();
  for (const event of state.events.newestFirst({ index: 'type', key: 'invoice.payment_failed' }))
    ids.add(eventSubject.parse(event.data.object).id);
  return [...ids].reverse().flatMap((id) => state.invoices.get(id) ?? []);
}

interface Sides {
  sandbox: Sandbox;
  invoice: Invoice;
  row: LedgerRow | undefined;
  serviceCase: ListedCase | undefined;
  now: DateTime;
}

function judge(sides: Sides): Outcome {
  const { invoice } = sides;
  if (invoice.status === 'paid') return { kind: 'recovered', ...whoPaid(sides) };
  if (invoice.status === 'void') return { kind: 'given_up', reason: VOIDED };
  return whyWaiting(sides) ?? whyGivenUp(sides);
}

function whoPaid({ invoice, row, sandbox }: Sides): { reason: string; way: RecoveryWay } {
  const suffix = isDisputed(sandbox, invoice.id) ? ' (disputed later)' : '';
  if (row?.paidBy === 'card_change') return { reason: `new card${suffix}`, way: 'new cards' };
  if (row?.paidBy) return { reason: `retry${suffix}`, way: 'retries' };
  const way = 'what customers did themselves';
  if ((invoice.amount_paid_off_stripe ?? 0) > 0) return { reason: 'bank transfer', way };
  return {
    reason: (row?.emailsSent ?? 0) > 0 ? 'confirmation from the email' : 'the customer, unasked',
    way,
  };
}

function isDisputed({ state }: Sandbox, invoiceId: string): boolean {
  return listChargesOf({ state }, invoiceId).some((charge) => charge.disputed);
}

/** Oldest first. */
export function listChargesOf({ state }: Pick<Sandbox, 'state'>, invoiceId: string): Charge[] {
  const payments = [...state.invoicePayments.newestFirst({ index: 'invoice', key: invoiceId })];
  const charges = payments.flatMap((payment) => [
    ...state.charges.newestFirst({ index: 'paymentIntent', key: payment.payment.payment_intent ?? '' }),
  ]);
  return charges.reverse();
}

function whyWaiting({ sandbox, invoice, row, serviceCase, now }: Sides): Outcome | undefined {
  if (listChargesOf(sandbox, invoice.id).some(({ status }) => status === 'pending'))
    return { kind: 'waiting', reason: 'the bank has not answered yet' };
  if (row?.nextAction && row.nextActionAt && row.nextActionAt > now)
    return { kind: 'waiting', reason: `${describeAction(row.nextAction)} is planned` };
  if (row?.emailsSent === 0 && isUndeliverable(row.lastReason) && serviceCase?.state === 'open')
    return { kind: 'waiting', reason: 'the customer cannot be emailed' };
  const isWatched = serviceCase?.state === 'open' && (serviceCase.reviewAt?.toMillis() ?? 0) > now.toMillis();
  if (!isWatched || !serviceCase.reason) return undefined;
  return { kind: 'waiting', reason: describeCaseReason(serviceCase.reason) };
}

const UNDELIVERABLE: ReadonlySet<ReasonCode> = new Set([
  'email_not_taken',
  'no_address',
  'no_mail_server',
  'no_page',
  'no_recipient',
]);

function isUndeliverable(reason: Reason | null): reason is Reason {
  return reason !== null && UNDELIVERABLE.has(reason.code);
}

function whyGivenUp({ row, serviceCase }: Sides): Outcome {
  // The service believes that the customer was asked; the plugin knows better.
  if (serviceCase?.state === 'closed' && row?.emailsSent === 0 && isUndeliverable(row.lastReason))
    return { kind: 'given_up', reason: `no email: ${describeReason(row.lastReason, IN_STORY)}` };
  if (serviceCase?.state === 'closed' && serviceCase.reason)
    return { kind: 'given_up', reason: describeCaseReason(serviceCase.reason) };
  return { kind: 'unexplained', reason: 'open, nothing is planned and nobody says why' };
}
