/** Requests to cancel a subscription at its renewal, or to pause it, under AFTER_CANCEL_REQUEST. Pure. */
import type { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { AfterCancelRequest } from '../../settings/giving-up.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { type Guard, guard } from '../actions/objection.ts';
import { type InvoiceHolds, wasReleasedSince } from '../invoice/invoice-holds.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';
import { isCardChange } from './card-history.ts';

export interface CancelRequestFacts {
  readonly now: DateTime;
  readonly invoice: Pick<PayableInvoice, 'subscription'>;
  readonly holds: Pick<InvoiceHolds, 'releasedAt'>;
  readonly afterCancelRequest: AfterCancelRequest;
}

/** A withdrawn request lets planned actions continue. */
const RECHECK_DAYS = 1;

/** Undefined also after a release by a person. */
export function findCancelRequest({
  invoice: { subscription },
  holds,
}: Pick<CancelRequestFacts, 'invoice' | 'holds'>): Reason | undefined {
  const { id, endsAt, endAskedAt, isPauseAsked } = subscription ?? {};
  if (id === undefined || endsAt === undefined || wasReleasedSince(holds, endAskedAt)) return undefined;
  if (isPauseAsked) return { code: 'pause_requested', subscriptionId: id };
  return { code: 'cancel_requested', subscriptionId: id, endsAt: toIso(endsAt) };
}

/** Stops charges and emails. */
export const CANCEL_STOPS: Guard<CancelRequestFacts> = guard(
  'cancel_requested',
  (facts) => facts.afterCancelRequest === 'stop' && waitForRequest(facts),
);

/** Stops our charges; the customer may still pay with another card or ask the merchant to charge. */
export const CANCEL_ASKS: Guard<CancelRequestFacts & { readonly action: Pick<StoredAction, 'cause'> }> =
  guard('charge_unwanted', (facts) => {
    const { action, afterCancelRequest } = facts;
    const isWanted = isCardChange(action) || action.cause === 'operator';
    const objection = afterCancelRequest === 'ask' && !isWanted && waitForRequest(facts);
    const asks = { email: 'card_update_email', cause: 'cancel_request' } as const;
    return objection && { ...objection, follows: { asks } };
  });

function waitForRequest(facts: CancelRequestFacts) {
  const reason = findCancelRequest(facts);
  return reason && { reason, until: facts.now.plus({ days: RECHECK_DAYS }) };
}
