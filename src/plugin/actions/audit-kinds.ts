/** Kinds of the audit's lines, one row each. */

interface AuditRow {
  /** When absent, the operation that writes such lines has the words. */
  readonly words?: string;
  /** A history shows it in other words, from rows of its own. */
  readonly isShownOtherwise?: true;
  /** The host's event, and its fields besides the line's detail. */
  readonly tells?: {
    readonly type: 'attempted' | 'emailed' | 'gaveUp' | 'resumed' | 'needsAttention';
    readonly data?: object;
  };
}

const attempted = (outcome: string) => ({ type: 'attempted', data: { outcome } }) as const;

const ROWS = {
  'action.closed': { words: 'action closed', isShownOtherwise: true },
  'guard.stopped': { words: 'payment not made' },
  'guard.postponed': { words: 'payment postponed' },
  'guard.asked': {
    words: 'payment left for a person to decide',
    tells: { type: 'needsAttention' },
  },
  'instruction.scheduled': { words: 'action scheduled', isShownOtherwise: true },
  'instruction.no_action': { words: 'what was asked is not done', isShownOtherwise: true },
  'instruction.refused': { words: 'what was asked is refused', isShownOtherwise: true },
  'attempt.started': { words: 'payment tried', isShownOtherwise: true },
  'attempt.paid': { words: 'payment made', isShownOtherwise: true, tells: attempted('paid') },
  'attempt.declined': { words: 'payment declined', isShownOtherwise: true, tells: attempted('declined') },
  'attempt.requires_action': {
    words: 'payment must be confirmed by the customer',
    isShownOtherwise: true,
    tells: attempted('requires_action'),
  },
  'attempt.pending': {
    words: 'payment submitted; the bank answers within days',
    isShownOtherwise: true,
    tells: attempted('pending'),
  },
  'attempt.not_payable': {
    words: 'payment refused: nothing is due',
    isShownOtherwise: true,
    tells: attempted('not_payable'),
  },
  'attempt.not_executed': { words: 'attempt not executed', isShownOtherwise: true },
  'attempt.unknown': { words: 'no clear answer from Stripe' },
  'attempt.withheld': { words: 'payment held back' },
  'email.sent': { words: 'email sent', isShownOtherwise: true, tells: { type: 'emailed' } },
  'email.delayed': { words: 'email delayed' },
  'email.undeliverable': { words: 'no email possible', tells: { type: 'needsAttention' } },
  'email.withheld': { words: 'no email sent' },
  'observed.pay': { words: 'observed only: it would have been paid now' },
  'observed.email': { words: 'observed only: an email would have gone out now' },
  'observed.ending': { words: 'observed only: AFTER_GIVING_UP would have been followed now' },
  'card.kept': { words: 'the card that paid was kept' },
  'card.not_kept': { words: 'the card that paid was not kept' },
  'card.postponed': { words: 'keeping the card that paid is postponed' },
  'invoice.taken_over': { words: "Stripe's own retries were switched off" },
  'invoice.handed_back': { words: "Stripe's own retries were switched on again" },
  'invoice.kept': { words: "Stripe's own retries stay off" },
  'stripe_retries.left': { words: "Stripe's own retries were not changed" },
  'subscription.resumed': { words: 'the subscription goes on', tells: { type: 'resumed' } },
  'subscription.not_resumed': {
    words: 'the subscription was not started again',
    tells: { type: 'needsAttention' },
  },
  'draft.finalized': { words: 'a draft was finalized' },
  'draft.left': { words: 'a draft is left to you' },
  'dunning.given_up': { words: 'given up', tells: { type: 'gaveUp' } },
  'dunning.not_ended': { words: 'left for a person to decide' },
  'dunning.postponed': { words: 'its end is postponed' },
  'dunning.ended': { words: 'the end of dunning' },
  'signal.begun': { words: "Stripe's retry signal watches the payment" },
  'signal.refused': { words: "Stripe's retry signal does not watch the payment" },
  'signal.received': { words: 'recommended' },
  'signal.ended': { words: "Stripe's retry signal no longer watches the payment" },
  'catch_up.gap': { words: 'Stripe’s events were not read for too long', isShownOtherwise: true },
  'account.authorized': { words: 'access was given', isShownOtherwise: true },
  'account.deauthorized': { words: 'access was taken away', isShownOtherwise: true },
  'account.saved': {},
  'customer.forgotten': {},
  'customer.resumed': {},
  'customer.stopped': {},
  'customer.erased': { words: 'personal data was erased' },
  'effects.paused': {},
  'effects.resumed': {},
  'key.made': { words: 'an API key was made' },
  'key.rotated': { words: 'an API key was rotated' },
  'key.revoked': { words: 'an API key was revoked' },
  'key.changed': { words: 'an API key was renamed, or got another limit' },
  'operator.dismissed': {},
  'operator.linked': {},
  'operator.emailed': {},
  'operator.postponed': {},
  'operator.released': {},
  'operator.replayed': {},
  'operator.retried': {},
  'operator.stopped': {},
  'operator.tested_email': {},
  'operator.undone': {},
  'operator.signed_in': { words: 'an operator signed in' },
  'operator.signed_out': { words: 'an operator signed out' },
  'operator.sign_in_failed': { words: 'a sign-in to the console failed' },
} as const satisfies Readonly<Record<string, AuditRow>>;

export type AuditKind = keyof typeof ROWS;

export const AUDIT_KINDS: Readonly<Record<AuditKind, AuditRow>> = ROWS;
