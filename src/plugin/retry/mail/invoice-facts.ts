/** Facts about unpaid invoices in an email or on the page: plan and failed method. */
import type Stripe from 'stripe';
import { expanded, livingCustomerOf, subscriptionOf } from '../../clients/chosen-methods.ts';
import type { OwedAmount } from '../../mails/customer-email.ts';
import type { PaidWith } from '../../mails/format-card.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { OwedInvoice } from './owed-together.ts';

type Patience = Parameters<RetryDeps['stripe']['findProductName']>[2];

export interface OwedFacts extends InvoiceFacts {
  readonly owed: readonly OwedAmount[];
}

/** Plan and method are those of the first one. */
export async function readOwedFacts(
  deps: Pick<RetryDeps, 'stripe' | 'logger'>,
  account: string,
  invoices: readonly OwedInvoice[],
  patience?: Patience,
): Promise<OwedFacts> {
  const reading = invoices.map(({ found }) => readInvoiceFacts(deps, account, found, patience));
  const facts = await Promise.all(reading);
  const owed = invoices.map(({ invoice: { id, number, amountRemaining, currency, issuedAt } }, index) => {
    return { id, number, amount: amountRemaining, currency, plan: facts[index]?.plan, issuedAt };
  });
  return { ...facts[0], owed };
}

interface InvoiceFacts {
  readonly plan?: string | undefined;
  readonly paidWith?: PaidWith | undefined;
}

/** The merchant's description of the subscription, else its product's name. */
async function readInvoiceFacts(
  deps: Pick<RetryDeps, 'stripe' | 'logger'>,
  account: string,
  invoice: Stripe.Invoice,
  patience?: Patience,
): Promise<InvoiceFacts> {
  const subscription = subscriptionOf(invoice);
  const paidWith = readMethod(findNamed(invoice));
  if (!subscription) return { plan: undefined, paidWith };
  const product = findProduct(invoice);
  const described = subscription.description ?? undefined;
  if (described !== undefined || product === undefined) return { plan: described, paidWith };
  return { plan: await findName(deps, { account, product, patience }), paidWith };
}

/** A missing name does not stop an email. */
async function findName(
  { stripe, logger }: Pick<RetryDeps, 'stripe' | 'logger'>,
  { account, product, patience }: { account: string; product: string; patience: Patience },
): Promise<string | undefined> {
  try {
    return await stripe.findProductName(account, product, patience);
  } catch (error) {
    logger.warn({ err: error, account, product }, 'the name of a product could not be read');
    return undefined;
  }
}

/** Product of the largest line. */
function findProduct({ lines }: Stripe.Invoice): string | undefined {
  const priced = (lines?.data ?? []).filter((line) => line.pricing?.price_details?.product);
  const [largest] = priced.sort((one, other) => other.amount - one.amount);
  return largest?.pricing?.price_details?.product;
}

/** The failed method if it is a chosen one; a method tried once is not the one charged. */
function findNamed(invoice: Stripe.Invoice): Stripe.PaymentMethod | undefined {
  const payments = invoice.payments?.data ?? [];
  const intents = payments.flatMap(({ payment }) => expanded(payment.payment_intent) ?? []);
  const failed = intents.findLast((intent) => intent.last_payment_error)?.last_payment_error?.payment_method;
  const named = listNamed(invoice);
  return named.find(({ id }) => id === failed?.id) ?? named[0] ?? failed;
}

function listNamed(invoice: Stripe.Invoice) {
  const named = [
    invoice.default_payment_method,
    subscriptionOf(invoice)?.default_payment_method,
    livingCustomerOf(invoice)?.invoice_settings.default_payment_method,
  ];
  return named.flatMap((method) => expanded(method ?? null) ?? []);
}

/** Names known to customers; a bank goes by its own name if known. */
const NAMES: Readonly<Record<string, string>> = {
  sepa_debit: 'SEPA',
  paypal: 'PayPal',
  link: 'Link',
  cashapp: 'Cash App Pay',
  amazon_pay: 'Amazon Pay',
  revolut_pay: 'Revolut Pay',
};

/** A method without name and digits is only known not to be a card. */
function readMethod(method: Stripe.PaymentMethod | undefined): PaidWith | undefined {
  if (!method) return undefined;
  const { card, us_bank_account: us, sepa_debit, bacs_debit, au_becs_debit, acss_debit } = method;
  if (card) return { brand: card.brand, last4: card.last4 };
  const last4 = (us ?? sepa_debit ?? bacs_debit ?? au_becs_debit ?? acss_debit)?.last4 ?? undefined;
  return { brand: us?.bank_name ?? NAMES[method.type], last4, isCard: false };
}
