/** Facts for guards about an invoice, its payer and its card: each is read on first use, and once a decision. */
import type Stripe from 'stripe';
import { lazy } from '../../../core/base/lazy.ts';
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
  /** Counts Stripe's own attempts that no event has reported yet, from this invoice. */
  readonly unreported?:
    | { readonly deps: Pick<RetryDeps, 'stripe' | 'logger'>; readonly found: Stripe.Invoice }
    | undefined;
  readonly open?: StoredAttempt | undefined;
}

/** `read`: the invoice's attempts, if already read. */
export function createFacts(
  { database, clock, stripe }: Deps,
  account: string,
  invoice: PayableInvoice,
  read?: readonly StoredAttempt[],
) {
  const { id: invoiceId } = invoice;
  const holds = lazy(() => readHolds(database, { account, invoiceId, customerId: invoice.customerId }));
  const recorded = lazy<Promise<readonly StoredAttempt[]>>(
    async () => read ?? listAttemptsOfInvoice(database, account, invoiceId),
  );
  const next = lazy(async () => {
    const given = await findLatestNewCard(database, account, invoiceId);
    const id = findNextMethod(invoice.chosenMethods, given);
    return id === invoice.defaultMethod?.id ? invoice.defaultMethod : findMethod(stripe, account, id);
  });
  return {
    holds,
    /**
     * The method to be charged next: the customer's new card while it is a chosen one, since a subscription may name its old card for ever
     * (stripe-facts 6.2); else Stripe's choice.
     */
    next,
    /** Stored attempts with the next method. */
    ofNext: async () => onSameCard({ attempts: await recorded(), method: await next() }),
    /** Stored attempts on the invoice. */
    recorded,
    /** Facts for the collection guards. */
    collection: async ({ recoverSignUps, afterCancelRequest }: Rules): Promise<CollectionFacts> => {
      return { now: clock.now(), invoice, holds: await holds(), recoverSignUps, afterCancelRequest };
    },
    /** The card with all attempts on it and on the invoice, except `open`. */
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
      const card = await listCardTries({ database, clock }, account, method ?? {});
      return { method, card, attempts: listRelevantAttempts([...known, ...card.attempts], open) };
    },
  };
}

/** A source that Stripe would not choose is known by its id only; the guards see its owner by the invoice. */
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
