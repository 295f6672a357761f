import { Duration } from 'luxon';
import { fromUnixSeconds } from '../../../clock.ts';
import { refused } from '../api-error.ts';
import { buildInvoice, buildInvoiceLine } from '../objects/build-invoice.ts';
import { buildInvoicePayment, buildPaymentIntent } from '../objects/build-payment.ts';
import { describeLine } from '../objects/line-description.ts';
import type { Invoice, Subscription } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { cancelOpenPayment, payNothing } from './collect-invoice.ts';
import { lineAmount } from './line-amount.ts';
import { refreshSubscriptionStatus } from './subscription-status.ts';

export interface DraftOptions {
  billingReason: string;
  autoAdvance: boolean;
  /** During a trial every line is free. */
  isFree: boolean;
}

/** A draft for the subscription's current period. */
export function draftInvoice(world: World, subscription: Subscription, options: DraftOptions): Invoice {
  const customer = world.customers.get(subscription.customer);
  if (customer === undefined) throw refused(`Customer ${subscription.customer} was deleted.`);
  const id = world.ids.next('in');
  const { currency } = subscription;
  const lines = subscription.items.data.map((item) => {
    const unitAmount = world.currencyOptions.get(item.price.id)?.[currency]?.unit_amount_decimal ?? null;
    const product = world.products.get(item.price.product)?.name ?? 'Subscription';
    return buildInvoiceLine({
      id: world.ids.next('il'),
      invoice: id,
      item,
      amount: options.isFree ? 0 : lineAmount(world, item, currency),
      currency,
      unitAmount,
      description: describeLine(item, { product, currency, unitAmount, isFree: options.isFree }),
    });
  });
  const [first] = subscription.items.data;
  const created = unixNow(world);
  const invoice = world.invoices.add(
    buildInvoice({
      id,
      created,
      account: world.account,
      customer,
      subscription,
      billingReason: options.billingReason,
      periodStart: first?.current_period_start ?? created,
      periodEnd: first?.current_period_end ?? created,
      lines,
      autoAdvance: options.autoAdvance,
      dueDate: dueDate(created, subscription),
    }),
  );
  invoice.test_clock = world.testClock;
  publish(world, 'invoice.created', invoice);
  return invoice;
}

/** Draft to open, with its payment; one that owes nothing is paid at once. */
export function finalizeInvoice(world: World, invoice: Invoice): Invoice {
  if (invoice.status !== 'draft')
    throw refused("This invoice is already finalized, you can't re-finalize it.");
  const now = unixNow(world);
  invoice.status = 'open';
  invoice.number = `SBX-${String(world.invoices.size).padStart(6, '0')}`;
  invoice.effective_at = now;
  invoice.status_transitions.finalized_at = now;
  invoice.hosted_invoice_url = `${world.baseUrl}/i/${invoice.id}`;
  invoice.invoice_pdf = `${world.baseUrl}/i/${invoice.id}/pdf`;
  if (invoice.amount_due > 0) addPayment(world, invoice);
  publish(world, 'invoice.finalized', invoice);
  if (invoice.amount_due === 0) payNothing(world, invoice);
  return invoice;
}

export function voidInvoice(world: World, invoice: Invoice): Invoice {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw refused(`You can only void open or uncollectible invoices; this one is ${invoice.status}.`);
  }
  const before = snapshotOf(invoice);
  invoice.status = 'void';
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.voided_at = unixNow(world);
  cancelOpenPayment(world, invoice);
  publish(world, 'invoice.voided', invoice);
  publishUpdated(world, 'invoice.updated', invoice, before);
  refreshSubscriptionStatus(world, invoice);
  return invoice;
}

function addPayment(world: World, invoice: Invoice): void {
  const created = unixNow(world);
  const intent = world.paymentIntents.add(buildPaymentIntent(world.ids.next('pi'), created, invoice));
  world.invoicePayments.add(buildInvoicePayment(world.ids.next('inpay'), created, invoice, intent.id));
  publish(world, 'payment_intent.created', intent);
}

function dueDate(created: number, subscription: Subscription): number | null {
  if (subscription.collection_method !== 'send_invoice') return null;
  const days = subscription.days_until_due ?? 30;
  return Math.floor(fromUnixSeconds(created).plus(Duration.fromObject({ days })).toSeconds());
}
