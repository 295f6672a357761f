import type { Reason } from './reason.ts';

/** Stored result of one step for an event: a stable code with parameters. */
export type EventResult =
  | Extract<
      Reason,
      {
        code:
          | 'unknown_code'
          | 'account_not_configured'
          | 'access_refused'
          | 'access_revoked'
          | 'sent_to_customer';
      }
    >
  /** The type, or this kind of event of it, is not handled. */
  | { readonly code: 'ignored_type' }
  | {
      readonly code: 'ignored_object';
      readonly expected: 'charge' | 'customer' | 'dispute' | 'invoice' | 'subscription';
    }
  | { readonly code: 'ignored_mode'; readonly isLive: boolean }
  /** The object is on a Stripe test clock with a time of its own. */
  | { readonly code: 'ignored_test_clock' }
  | { readonly code: 'own_account' }
  /** Stripe no longer has the event's object. */
  | { readonly code: 'gone'; readonly object: 'charge' | 'invoice' | 'subscription' | 'other' }
  /** A newer state is stored. */
  | { readonly code: 'stale' }
  | { readonly code: 'mirrored'; readonly isReread?: true }
  | { readonly code: 'mirrored_end' | 'deleted' | 'unmappable' }
  | { readonly code: 'charges_recorded'; readonly count: number }
  /** An attempt without a charge; `failure` is Stripe's code. */
  | { readonly code: 'failure_recorded'; readonly failure?: string | undefined }
  | { readonly code: 'no_new_charge' | 'own_attempt' }
  | { readonly code: 'customer_awaited'; readonly paymentIntent: string }
  | { readonly code: 'customer_not_awaited' }
  | { readonly code: 'collection_stopped'; readonly invoiceId?: string }
  | { readonly code: 'no_disputed_invoice' }
  | { readonly code: 'refund_noted'; readonly chargeId: string }
  | { readonly code: 'new_card'; readonly paymentMethod: string }
  | { readonly code: 'no_new_card' }
  | { readonly code: 'method_lost' | 'method_found'; readonly paymentMethod: string }
  | { readonly code: 'no_lost_method' }
  | { readonly code: 'subscription_lost'; readonly invoiceId: string }
  | { readonly code: 'subscription_not_lost' }
  | { readonly code: 'card_warned' | 'card_cleared'; readonly warningId: string }
  | { readonly code: 'no_card_warned' }
  | { readonly code: 'signal_noted'; readonly evaluationId: string }
  | { readonly code: 'no_signal_asked' }
  | { readonly code: 'taken_over' | 'stripe_retries_kept' | 'stripe_retries_off' }
  | { readonly code: 'access_given' | 'access_withdrawn' }
  /** Nothing is done, or kept, about this customer. */
  | { readonly code: 'customer_forgotten' | 'customer_kept' }
  /** Processing failed for good: the reason is here, or the error is in the row. */
  | { readonly code: 'dead'; readonly reason?: Reason };
