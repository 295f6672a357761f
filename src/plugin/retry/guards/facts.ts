/** What guards ask about an invoice, its payer and its card: each fact is read when it is first asked for, and once for a decision. */
import type Stripe from 'stripe';
import { findNextMethod } from '../../../core/limits/next-method.ts';
import { isOldSource } from '../../clients/method-identity.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { findLatestNewCard } from '../../store/tables/retry/card-changes.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { listCardTries, listRelevantAttempts, withKnownDetails } from '../invoice/card-tries.ts';
import { readHolds } from '../invoice/invoice-holds.ts';
import {
  methodFacts,
  type PayableInvoice,
  type PaymentMethodFacts,
  readMethod,
} from '../invoice/payable-invoice.ts';
import { listUnreportedAttempts } from '../invoice/unreported-attempts.ts';
import { onSameCard } from './card-history.ts';
import type { CollectionFacts } from './collection-guards.ts';

type Deps = Pick<RetryDeps, 'database' | 'clock' | 'stripe'>;
type Rules = Pick<RetryDeps['config'], 'recoverSignUps' | 'afterCancelRequest'>;

interface CardQuery {
  /** As Stripe has the invoice: its own attempts count that no event has reported yet. */
  readonly unreported?:
    | { readonly deps: Pick<RetryDeps, 'stripe' | 'logger'>; readonly found: Stripe.Invoice }
    | undefined;
  readonly open?: StoredAttempt | undefined;
}

/** `read`: the attempts on the invoice, where they have been read. */
export function createFacts(
  { database, clock, stripe }: Deps,
  account: string,
  invoice: PayableInvoice,
  read?: readonly StoredAttempt[],
) {
  const { id: invoiceId } = invoice;
  const holds = once(() => readHolds(database, account, invoiceId));
  const recorded = once<readonly StoredAttempt[]>(
    async () => read ?? listAttemptsOfInvoice(database, account, invoiceId),
  );
  const next = once(async () => {
    const given = await findLatestNewCard(database, account, invoiceId);
    const id = findNextMethod(invoice.chosenMethods, given);
    return id === invoice.defaultMethod?.id ? invoice.defaultMethod : findMethod(stripe, account, id);
  });
  return {
    holds,
    /**
     * The method that would be charged next: the card that the customer gave since the invoice failed, while it is still a chosen
     * one, for a subscription may name its old card for ever (stripe-facts 6.2). Else what Stripe would charge.
     */
    next,
    /** Those of the stored attempts that say something about the next one. */
    ofNext: async () => onSameCard({ attempts: await recorded(), method: await next() }),
    /** The attempts on the invoice that are stored. */
    recorded,
    /** What every guard of collection asks. */
    collection: async ({ recoverSignUps, afterCancelRequest }: Rules): Promise<CollectionFacts> => {
      return { now: clock.now(), invoice, holds: await holds(), recoverSignUps, afterCancelRequest };
    },
    /** Of the card that would be charged, and all that was tried with it or on the invoice but the attempt that is `open`. */
    card: async (chosen: PaymentMethodFacts | undefined, { unreported, open }: CardQuery = {}) => {
      const known = [...(await recorded())];
      if (unreported) {
        const { deps, found } = unreported;
        known.push(
          ...(await listUnreportedAttempts(
            deps,
            { account, invoiceId },
            { invoice: found, recorded: known },
          )),
        );
      }
      const method = withKnownDetails(chosen, known);
      const card = await listCardTries({ database, clock }, account, {
        fingerprint: method?.fingerprint,
        id: method?.id,
      });
      return { method, card, attempts: listRelevantAttempts([...known, ...card.attempts], open) };
    },
  };
}

/** A source that Stripe would not choose is known by its id alone; the guards see by the invoice whose it is. */
export async function findMethod(
  stripe: Deps['stripe'],
  account: string,
  id: string | undefined,
): Promise<PaymentMethodFacts | undefined> {
  if (id === undefined) return undefined;
  if (isOldSource(id)) return readMethod(id);
  const method = await stripe.findPaymentMethod(account, id);
  return method && methodFacts(method);
}

export type Facts = ReturnType<typeof createFacts>;

function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}
