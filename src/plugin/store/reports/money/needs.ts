/** Why a failed invoice needs attention: one table of causes, the first match counts. Decided by stored codes. */

import type { Queryable } from '../../../../core/database/database.ts';
import { DECLINES } from '../../../../core/declines/find-decline.ts';
import { REQUESTS } from '../../../actions/action-kinds.ts';
import { type Factors, type NetSum, netSums } from './sum-failures.ts';

const quote = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');

const merchantCodes = (isBlock: boolean) =>
  quote(
    DECLINES.filter((row) => row.class === 'merchant' && (row.isBlock ?? false) === isBlock).map(
      ({ code }) => code,
    ),
  );

/** Requests without a response after which no further one is sent. */
const ASKED_OFTEN = 3;
const NO_ATTEMPT_LEFT = `('attempts_on_invoice', 'few_attempts', 'debit_presentments', 'debit_window_over')`;
const FAILED_WITH = (codes: string) =>
  `(failed.decline_code in (${codes}) or failed.code in (${codes})) and coalesce(hold.released_at < failed.started_at, true)`;

/** Condition on a row with `NEED_FACTS`. */
export const IS_STOPPED = '(hold.account is not null and hold.released_at is null)';

/** `when` applies to an unpaid invoice, with the names of `NEED_FACTS`. Undefined need: no attention needed. */
const RULES = [
  // The person who stopped it has decided.
  { need: undefined, when: IS_STOPPED },
  { need: 'undecided', when: 'work.is_undecided' },
  {
    need: 'disputed',
    when: `work.stop in ('disputed', 'payer_disputes') or exists (select from payment_retry.disputes d where d.account = c.account
      and d.invoice_id = c.invoice_id and coalesce(d.opened_at > hold.released_at, true))`,
  },
  { need: 'cancel_requested', when: `work.stop in ('cancel_requested', 'pause_requested')` },
  { need: 'no_address', when: `undelivered.code = 'no_address'` },
  { need: 'undeliverable', when: 'undelivered.code is not null' },
  { need: undefined, when: 'next.kind is not null or i.next_attempt_at is not null' },
  { need: 'blocked', when: FAILED_WITH(merchantCodes(true)) },
  { need: 'merchant', when: FAILED_WITH(merchantCodes(false)) },
  {
    need: 'unanswered',
    when: `asked.emails >= ${ASKED_OFTEN} or work.stop = 'enough_emails' or judged.reason in ('the_customer_was_asked_often_enough', 'the_customer_did_not_act')`,
  },
  {
    need: 'attempts_used',
    when: `ending.code = 'attempts_used' or judged.reason = 'attempts_used_up' or asked.emails = 0 and work.stop in ${NO_ATTEMPT_LEFT}`,
  },
  { need: 'handed_back', when: 'takeover.handed_back_at is not null' },
  { need: 'given_up', when: 'ending.code is not null or judged.reason is not null' },
] as const;

export type Need = Exclude<(typeof RULES)[number]['need'], undefined>;
export const NEEDS: readonly Need[] = RULES.flatMap(({ need }) => need ?? []);

/** A `Need` or null; expects `ended.state` of an invoice. */
export const NEED = `case when ended.state <> 'open' then null ${RULES.map(
  ({ need, when }) => `when ${when} then ${need === undefined ? 'null' : `'${need}'`}`,
).join(' ')} end`;

const OF_INVOICE = (alias: string) => `${alias}.account = c.account and ${alias}.invoice_id = c.invoice_id`;
const SENT = (more: string) =>
  `from payment_retry.emails m where m.account = c.account and m.named @> array[c.invoice_id] and m.state = 'sent' ${more}`;

/** Facts that the rules read of the invoice `c`, in addition to those of `refreshFailures`. */
export const NEED_FACTS = `
  left join lateral payment_retry.hold_on(c.account, c.invoice_id) hold on true
  left join payment_retry.takeovers takeover on ${OF_INVOICE('takeover')}
  left join lateral (select e.reason->>'code' as code from payment_retry.endings e
    where ${OF_INVOICE('e')} and e.ended_at is null) ending on true
  left join lateral (select r.reason from payment_retry.recovery_cases r
    where ${OF_INVOICE('r')} and r.state = 'closed') judged on true
  cross join lateral (select coalesce(bool_or(x.state = 'undecided'), false) as is_undecided,
    (array_agg(x.reason->>'code' order by x.state in ('scheduled', 'running') desc, x.created_at desc, x.id desc))[1] as stop
    from payment_retry.actions x where ${OF_INVOICE('x')}) work
  cross join lateral (select count(*) as emails, max(m.sent_at) as at
    ${SENT(`and m.template in (${quote(REQUESTS)})`)}) asked
  left join lateral (select a.detail->'reason'->>'code' as code from payment_retry.audit a
    where ${OF_INVOICE('a')} and a.kind = 'email.undeliverable' and not exists (select ${SENT('and m.sent_at >= a.at')})
    order by a.id desc limit 1) undelivered on true`;

export interface NeedSum extends NetSum {
  readonly need: Need;
}

/** The invoices of each cause, by currency; of one account, if it is given. */
export function sumNeeds(db: Queryable, factors: Factors, account?: string) {
  return db.query<NeedSum>(
    `select need, currency, ${netSums('$2')}
     from payment_retry.failures where need is not null and ($1::text is null or account = $1)
     group by 1, 2 order by 1, 2`,
    [account, JSON.stringify(factors)],
  );
}

/** How many invoices need a person. */
export const countNeeds = (db: Queryable) =>
  db.getValue<number>('select count(*)::int as count from payment_retry.failures where need is not null');

export interface StandingSum extends NetSum {
  readonly standing: Standing;
}

/** All that is unpaid, by standing. */
export function sumUnpaid(db: Queryable, factors: Factors) {
  return db.query<StandingSum>(
    `select standing, currency, ${netSums('$1')} from payment_retry.failures where state = 'open' group by 1, 2`,
    [JSON.stringify(factors)],
  );
}

/** Status of an invoice as its chip shows it; the database computes the column. */
export const STANDINGS = [
  'retry',
  'asked',
  'waiting',
  'needs_attention',
  'stopped',
  'recovered',
  'lost',
] as const;
export type Standing = (typeof STANDINGS)[number];

/** Filters of invoice lists. */
export const LISTINGS = ['unpaid', ...STANDINGS] as const;
export type InvoiceListing = (typeof LISTINGS)[number];
