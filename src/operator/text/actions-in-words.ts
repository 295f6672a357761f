import type { HistoryAction, InvoiceHistory } from '../../store/reports/invoice-history.ts';

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['pay', 'payment'],
  ['card_update_email', 'mail asking for another card'],
  ['confirm_payment_email', 'mail asking to confirm'],
  ['end_dunning', 'end of dunning (AFTER_GIVING_UP)'],
]);

export function actionInWords(kind: string): string {
  return ACTIONS.get(kind) ?? kind;
}

/** Who wanted it, as the end of a sentence. */
export function causeInWords(action: HistoryAction | undefined): string {
  if (action === undefined) return '';
  return action.requestId === null
    ? ", with the customer's new card"
    : `, asked by request ${action.requestId}`;
}

/** Whether an attempt, a mail or a decision of the history says already how the action ended. */
export function isEndTold(action: HistoryAction, { attempts, audit }: InvoiceHistory): boolean {
  const { id, reason } = action;
  if (action.state === 'done' && attempts.some(({ actionId }) => actionId === id)) return true;
  if (reason === null) return false;
  if (/^(observed only: |\w+ mail sent$)/.test(reason)) return true;
  return audit.some(({ kind, detail }) => reason === END_OF.get(kind)?.(detail));
}

type Detail = Record<string, unknown>;

/** How the reason of an action reads that these decisions ended. */
const END_OF: ReadonlyMap<string, (detail: Detail) => string> = new Map([
  ['guard.stopped', ({ guard, reason }: Detail) => `${guard}: ${reason}`],
  ['email.withheld', ({ reason }: Detail) => `no mail: ${reason}`],
  ['email.undeliverable', ({ reason }: Detail) => `undeliverable: ${reason}`],
]);
