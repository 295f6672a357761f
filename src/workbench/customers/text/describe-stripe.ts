/** What Stripe's own events add to the story: renewals that fail, debits that come back, payments by others than us. */
import { z } from 'zod';
import { describeCode, money } from '../../../plugin/operator/text/describe-code.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Sentence } from './describe-audit.ts';

export interface StripeStep extends Sentence {
  readonly customerId: string;
  readonly invoiceId: string;
  readonly type: string;
}

const invoiceReference = z.object({ id: z.string(), object: z.literal('invoice') });

/** Gives what happened since the last call, oldest first. */
export function createStripeReader(sandbox: Sandbox, tellsRenewals = false): () => StripeStep[] {
  let lastSeen: string | undefined;
  const failed = new Set<string>();
  return () => {
    const events = [];
    for (const event of sandbox.state.events.newestFirst()) {
      if (event.id === lastSeen) break;
      events.unshift(event);
    }
    lastSeen = events.at(-1)?.id ?? lastSeen;
    return events.flatMap((event) => {
      // What a call of ours brought about is in the audit.
      const isOurs = event.request?.id !== null;
      const { data } = invoiceReference.safeParse(event.data.object);
      const invoice = sandbox.state.invoices.get(data?.id ?? '');
      if (invoice?.customer === undefined || invoice.customer === null) return [];
      const known = failed.has(invoice.id);
      if (event.type === 'invoice.payment_failed') failed.add(invoice.id);
      if (isOurs) return [];
      const describe = SENTENCES[event.type];
      const sentence = describe?.(sandbox, {
        id: invoice.id,
        known,
        tellsRenewals,
        sum: money(invoice.amount_due, invoice.currency),
      });
      if (!sentence) return [];
      return [{ ...sentence, customerId: invoice.customer, invoiceId: invoice.id, type: event.type }];
    });
  };
}

interface Subject {
  id: string;
  /** Whether a payment of it failed before. */
  known: boolean;
  tellsRenewals: boolean;
  sum: string;
}

const SENTENCES: Readonly<Record<string, (sandbox: Sandbox, subject: Subject) => Sentence | undefined>> = {
  'invoice.payment_failed': (sandbox, { id, sum }) => {
    const { code, isDebit } = lastFailure(sandbox, id);
    const what = isDebit ? `debit of ${sum} came back` : `renewal of ${sum} failed`;
    return { text: `${what}: ${describeCode(code)}`, tone: 'bad' };
  },
  'invoice.paid': (_sandbox, { known, tellsRenewals, sum }) => {
    if (known) return { text: `invoice of ${sum} is paid`, tone: 'good' };
    return tellsRenewals ? { text: `renewal of ${sum} is paid`, tone: 'plain' } : undefined;
  },
};

function lastFailure({ state }: Sandbox, invoiceId: string): { code: string; isDebit: boolean } {
  for (const payment of state.invoicePayments.newestFirst({ index: 'invoice', key: invoiceId })) {
    const intent = state.paymentIntents.get(payment.payment.payment_intent ?? '');
    if (intent?.status === 'requires_action') return { code: 'authentication_required', isDebit: false };
    const charge = state.charges.get(intent?.latest_charge ?? '');
    if (charge === undefined) continue;
    return {
      code: charge.outcome?.reason ?? charge.failure_code ?? 'card_declined',
      isDebit: charge.payment_method_details?.type !== 'card',
    };
  }
  return { code: 'no payment method', isDebit: false };
}
