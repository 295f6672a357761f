import type { IssuerAnswer } from './issuer-rules.ts';

/** Why a payment failed; the policy never sees it. */
export type Cause =
  | 'no_money'
  | 'false_decline'
  | 'hold'
  | 'technical'
  | 'stale'
  | 'dead'
  | 'authentication'
  | 'issuer_rule';

export interface SimulatedCase {
  readonly id: number;
  readonly subscriber: number;
  readonly cause: Cause;
  /** What the issuer says. */
  readonly code: string;
  readonly brand: 'visa' | 'mastercard';
  /** Minor units. */
  readonly amount: number;
  /** Hours from the start of the year at which the first payment failed. */
  readonly failedAt: number;
  /** Hour from which the cause is gone, for those that pass. */
  readonly clearsAt: number;
  readonly covers: Uint8Array | undefined;
  /** Where the issuer's own rule decides. */
  readonly issuer?: IssuerAnswer | undefined;
  /** Hours of the subscriber's charges before this one that passed at once, oldest first. */
  readonly passedAt: readonly number[];
  /** When it is paid without a retry: by an email, or by the network's card updater. Infinity if never. */
  readonly paidByOthersAt: number;
  /** When nothing helps any more: canceled, or 30 days are over. */
  readonly endsAt: number;
}
