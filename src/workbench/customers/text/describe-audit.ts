/** Each row of the audit as one sentence; undefined for rows that another row covers. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { describeSuggestion } from '../../../plugin/actions/action-kinds.ts';
import { describeAuditKind } from '../../../plugin/operator/text/describe-actions.ts';
import { describeCode, money } from '../../../plugin/operator/text/describe-code.ts';
import { describeReason } from '../../../plugin/operator/text/describe-reason.ts';
import { describeEmail } from '../../../plugin/operator/text/describe-state.ts';
import { readReason } from '../../../plugin/reasons/reason.ts';
import type { StoredAuditEntry } from '../../../plugin/store/tables/audit.ts';
import type { Tone } from './printer.ts';
import { IN_STORY, instantOf, moment } from './words.ts';

export interface Sentence {
  readonly text: string;
  readonly tone: Tone;
  /** What comes next. */
  readonly isPlan?: true;
}

/** What a row may hold; each kind has some of it. */
const rowDetail = z.object({
  reason: z.unknown().optional(),
  suggestion: z.string().optional(),
  until: z.string().optional(),
  repeatedAt: z.string().optional(),
  cause: z.string().optional(),
  attemptNumber: z.number().optional(),
  amount: z.number().optional(),
  currency: z.string().optional(),
  detail: z.string().optional(),
  code: z.string().nullish(),
  declineCode: z.string().nullish(),
  template: z.string().optional(),
});
type RowDetail = z.infer<typeof rowDetail>;

/** The attempt of an invoice that its next row is about. */
type Attempt = Pick<RowDetail, 'attemptNumber' | 'amount' | 'currency' | 'cause'>;
interface Row extends RowDetail {
  readonly at: DateTime;
  readonly attempt: Attempt;
}

const plain = (text: string): Sentence => ({ text, tone: 'plain' });
const bad = (text: string): Sentence => ({ text, tone: 'bad' });

const SENTENCES: Readonly<Record<string, (row: Row) => Sentence | undefined>> = {
  'attempt.started': () => undefined,
  'instruction.scheduled': ({ suggestion, reason, at }) => {
    const plan = readReason(reason);
    const due = plan.code === 'planned' ? instantOf(plan.dueAt) : undefined;
    const what = describeSuggestion(suggestion ?? '');
    const when = due && due <= at ? 'now' : `on ${due ? moment(due) : '?'}`;
    return { ...plain(`next: ${what} ${when}`), isPlan: true };
  },
  'instruction.no_action': ({ reason }) => plain(`suggestion of the service not followed: ${why(reason)}`),
  'instruction.refused': ({ reason }) => plain(`suggestion of the service refused: ${why(reason)}`),
  'attempt.paid': (row) => ({ text: `${tryOf(row)}: paid`, tone: 'good' }),
  'attempt.declined': (row) =>
    bad(`${tryOf(row)}: ${describeCode(row.declineCode ?? row.code ?? 'declined')}`),
  'attempt.requires_action': (row) => bad(`${tryOf(row)}: the bank wants the customer to confirm`),
  'attempt.pending': (row) => plain(`${tryOf(row)}: debit submitted; the bank answers within days`),
  'attempt.not_payable': (row) => bad(`${tryOf(row)}: Stripe would not try (${row.detail})`),
  'attempt.not_executed': (row) =>
    plain(`${tryOf(row)}: never reached Stripe (${describeCode(row.code ?? 'no_charge_found')})`),
  'attempt.unknown': (row) => {
    const repeatedAt = instantOf(row.repeatedAt);
    const again = repeatedAt ? moment(repeatedAt, row.at) : 'later';
    return plain(
      `${tryOf(row)}: no clear answer (${firstWords(row.reason)}); the same attempt is repeated at ${again}`,
    );
  },
  'guard.stopped': ({ reason }) => plain(`retry not made: ${why(reason)}`),
  'guard.postponed': ({ reason, until }) => {
    const again = instantOf(until);
    return plain(`retry postponed to ${again ? moment(again) : 'later'}: ${why(reason)}`);
  },
  'email.sent': ({ template }) => plain(`email sent: ${describeEmail(template ?? '')}`),
  'email.delayed': ({ reason }) => bad(`email delayed: ${why(reason)}`),
  'email.undeliverable': ({ reason }) => bad(`no email: ${why(reason)}`),
  'email.withheld': ({ reason }) => plain(`no email sent: ${why(reason)}`),
  'action.closed': ({ reason }) => plain(`what was planned is dropped: ${why(reason)}`),
};

/** Remembers the attempt that a row of an invoice belongs to, so that its outcome can name it. */
export function createAuditReader(): (entry: StoredAuditEntry, at: DateTime) => Sentence | undefined {
  const attempts = new Map<string, Attempt>();
  return (entry, at) => {
    const detail = rowDetail.parse(entry.detail);
    const invoiceId = entry.invoiceId ?? '';
    if (entry.kind === 'attempt.started') attempts.set(invoiceId, detail);
    const describe = SENTENCES[entry.kind];
    if (describe === undefined) return plain(describeAuditKind(entry.kind));
    return describe({ ...detail, at, attempt: attempts.get(invoiceId) ?? {} });
  };
}

function why(reason: RowDetail['reason']): string {
  return describeReason(readReason(reason), IN_STORY);
}

/** The error's own name is enough for the story. */
function firstWords(reason: unknown): string | undefined {
  const read = readReason(reason);
  if (read.code !== 'attempt_unknown') return undefined;
  return read.status === undefined ? read.error : `Stripe answered ${read.status}`;
}

function tryOf({ attempt }: Row): string {
  const { attemptNumber = 0, amount, currency, cause } = attempt;
  const sum = amount === undefined || currency === undefined ? '' : ` of ${money(amount, currency)}`;
  const card = cause === 'card_change' ? ' with the new card' : '';
  return `retry ${attemptNumber}${sum}${card}`;
}
