/** What an action is there for. With its reference and the invoice, or before a renewal the subscription, it makes asking twice harmless. */
export type ActionCause =
  /** The retry service; by its request. */
  | 'instruction'
  /** Another card of the customer; by its identity. */
  | 'card_change'
  /** Another card that the customer saved is tried; by its identity. */
  | 'backup'
  /** A payment of another action; by that. */
  | 'charged_backup'
  | 'kept_card'
  /** An invoice that had failed was paid with another method, and not by us; by its charge. */
  | 'paid_otherwise'
  /** The service gave up; by its word. */
  | 'ending'
  /** No email about a failed invoice has gone out within FIRST_EMAIL_WITHIN_DAYS; by the invoice. */
  | 'first_notice'
  /** A subscription was lost to an unpaid invoice; by the subscription. */
  | 'subscription_lost'
  /** The invoice of a lost subscription was paid (AFTER_END); by the subscription. */
  | 'way_back'
  /** The customer asked to end, and is not charged. */
  | 'cancel_request'
  /** A renewal that has nothing good to be charged on; by its subscription and what that lost. */
  | 'renewal_at_risk'
  /** The customer, whose link had expired, asked for another; by the day, so once on each. */
  | 'link_renewal'
  /** A person; each time by an id of its own. */
  | 'operator'
  /** Nothing of ours: a question about an attempt of Stripe's. */
  | 'stripe';
