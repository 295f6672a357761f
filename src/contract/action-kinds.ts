/** What can be done about an invoice: one row each. Its work is joined in `retry/run/execute.ts`. */

const OF_MAILS = { ended: 'email.withheld', putOff: 'email.delayed' } as const;

interface KindOfAction {
  /** In a sentence, and as a step in a list. */
  readonly words: string;
  /** In a narrow column. */
  readonly label: string;
  /** What the audit calls it where it is not done, or not yet. */
  readonly ended: string;
  readonly putOff: string;
  /** It is there to have the invoice paid, and is needless afterwards. */
  readonly collects?: boolean;
}

const KINDS = {
  pay: {
    ...{ words: 'payment', label: 'Payment', collects: true },
    ...{ ended: 'guard.stopped', putOff: 'guard.postponed' },
  },
  card_update_email: {
    ...{ words: 'mail asking for another card', label: 'Mail: new card', collects: true },
    ...OF_MAILS,
  },
  confirm_payment_email: {
    ...{ words: 'mail asking to confirm', label: 'Mail: confirm', collects: true },
    ...OF_MAILS,
  },
  backup_charged_email: {
    ...{ words: 'mail that another card was charged', label: 'Mail: other card charged' },
    ...OF_MAILS,
  },
  expiring_card_email: {
    ...{ words: 'mail before a renewal that would fail', label: 'Mail: before a renewal' },
    ...OF_MAILS,
  },
  keep_card: {
    ...{ words: 'card of the subscription', label: 'Keep the card' },
    ...{ ended: 'card.not_kept', putOff: 'card.postponed' },
  },
  end_dunning: {
    ...{ words: 'end of dunning (AFTER_GIVING_UP)', label: 'End of dunning', collects: true },
    ...{ ended: 'dunning.not_ended', putOff: 'dunning.postponed' },
  },
} as const satisfies Readonly<Record<string, KindOfAction>>;

export type ActionKind = keyof typeof KINDS;
/** What an instruction may lead to. */
export type InstructedKind = Extract<ActionKind, 'pay' | 'card_update_email' | 'confirm_payment_email'>;

export const ACTION_KINDS: Readonly<Record<ActionKind, KindOfAction>> = KINDS;

/** One that this version does not know, such as of a newer process beside it, goes by its name. */
export function describeAction(kind: string, as: 'words' | 'label' = 'words'): string {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind as ActionKind][as] : kind.replaceAll('_', ' ');
}
