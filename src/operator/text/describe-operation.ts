/** What an operation came to, in sentences. */
import { DateTime } from 'luxon';
import type { Reason } from '../../store/reasons/reason.ts';
import type { Outcome } from '../operations/operation.ts';
import type { AnyResult } from '../operations/operations.ts';
import { describePause, resumeCommand } from './describe-pauses.ts';
import { describeReason } from './describe-reason.ts';
import { exactMoment } from './exact-moment.ts';

type Code = AnyResult['code'];
type Texts = { readonly [Name in Code]: (result: Extract<AnyResult, { code: Name }>) => readonly string[] };

const TEXTS: Texts = {
  invoice_unknown: ({ invoice }) => [`nothing is known about ${invoice}`],
  account_unknown: ({ account }) => [`nothing is known about account ${account}; nothing was paused`],

  stopped: ({ invoice, closed, stripeTriesAt }) => [
    `${invoice} is stopped (${closed} planned action(s) closed); only \`release ${invoice}\` ends that`,
    ...warnOfStripe(stripeTriesAt, 'void it or mark it uncollectible in Stripe to end that too'),
  ],
  stopped_already: ({ invoice, since, why }) => [
    `nothing changed: ${invoice} is stopped since ${moment(since)} (${why})`,
  ],
  released: ({ invoice, payments }) => [
    `${invoice} is released: ${payments > 0 ? 'the payment that waited is made within minutes' : "the service's next instruction for it is followed"}`,
  ],
  released_already: ({ invoice, since }) => [
    `nothing changed: ${invoice} is released since ${moment(since)}`,
  ],

  retry_planned: ({ invoice, observed }) => [
    observed === undefined
      ? `${invoice} is charged within minutes, unless a guard objects then: \`status ${invoice}\` shows it`
      : `${invoice} is only observed (${observed}): what would be charged is written down`,
  ],
  retry_planned_already: ({ invoice }) => [
    `nothing changed: a payment of ${invoice} that a person asked for is under way`,
  ],
  postponed: ({ invoice, until, moved, stripeTriesAt }) => [
    `${invoice} is neither charged nor mailed about until ${moment(until)} (${moved} planned action(s) moved)`,
    ...warnOfStripe(stripeTriesAt, 'that is not postponed'),
  ],
  postponed_already: ({ invoice, until }) => [`nothing changed: ${invoice} is postponed to ${moment(until)}`],
  no_such_time: ({ until, zone }) => [
    `nothing was done: there is no ${until.replace('T', ' ')} in ${zone}, where the clocks go forward over it; choose another time`,
  ],
  not_in_the_future: ({ until }) => [`${moment(until)} is not in the future`],
  too_far_away: ({ until, days, invoice }) => [
    `${moment(until)} is more than ${days} days away; \`stop ${invoice}\` ends its collection`,
  ],
  mail_planned: ({ invoice, template }) => [`the mail ${template} about ${invoice} goes out within minutes`],
  mail_sent_just_now: ({ invoice, template, minutes }) => [
    `nothing changed: a person had the mail ${template} about ${invoice} sent less than ${minutes} minutes ago`,
  ],
  no_mail_before: ({ invoice }) => [
    `no mail about ${invoice} was asked for before: say which, card_update or confirm_payment`,
  ],
  guard_objects: ({ invoice, guard, reason, until }) => [
    `nothing was done for ${invoice}: ${describeReason(reason)} (guard ${guard})${until === undefined ? '' : `; possible from ${moment(until)}`}`,
  ],

  put_back: ({ putBack, left }) => [
    ...countOf(putBack.events, 'dead event', 'to be processed again'),
    ...countOf(putBack.refused, 'refused record', 'to be delivered again'),
    ...countOf(putBack.unmapped, 'unmapped record', 'to be read again'),
    ...countOf(putBack.instructions, 'failed instruction', 'to be planned again'),
    ...leftAlone(left),
  ],
  nothing_to_put_back: ({ left }) => ['nothing changed: there was nothing to put back', ...leftAlone(left)],
  nothing_asked: () => ['say what to replay: events, records refused or unmapped, or instructions'],
  dismissed: ({ dismissed, left }) => [
    `${plural(dismissed.length, 'refused record')} dismissed until the next change`,
    ...leftAlone(left),
  ],
  nothing_to_dismiss: ({ left }) => ['nothing changed: none of them is in quarantine', ...leftAlone(left)],

  handed_back: (result) => describeHandBack(result),
  all_kept: (result) => describeHandBack(result),
  nothing_to_hand_back: ({ notOurs }) => [
    'nothing changed: no invoice is taken over',
    ...notOurs.map((id) => `${id}: not taken over`),
  ],
  forgotten: ({ customer, closed, removed }) => [
    `${customer} is forgotten (${plural(closed, 'planned action')} closed); amounts, outcomes, times and ids stay`,
    ...Object.entries(removed).map(([table, count]) => `  ${table}: ${plural(count, 'row')}`),
    'the embedded service forgets within minutes; a remote one has its own copy: ask whoever runs it',
  ],
  forgotten_already: ({ customer, since, isFinished }) => [
    `nothing changed: ${customer} is forgotten since ${moment(since)}${isFinished ? '' : '; the embedded service has not confirmed it yet'}`,
  ],
  customer_unknown: ({ customer }) => [`nothing is known about ${customer}`],

  effects_paused: () => ['nothing was done: everything is paused; `resume` first'],

  paused: ({ account, pauses }) => [
    ...pauses.map(describePauseView),
    `It holds at once in every process; what comes in is kept. \`${resumeCommand({ account })}\` ends it.`,
  ],
  paused_already: ({ account, pauses }) => [
    ...pauses.map(describePauseView),
    `Nothing changed: it was paused before. \`${resumeCommand({ account })}\` ends it.`,
  ],
  resumed: ({ pauses }) => [
    'Resumed: the running processes take up what waited within seconds, else the next start does.',
    ...pauses.map(describePauseView),
  ],
  not_paused: ({ account, pauses }) => [
    `Nothing changed: there was no pause ${account === '*' ? 'of all accounts' : `of account ${account} alone`}.`,
    ...pauses.map(describePauseView),
  ],

  account_saved: ({ account, changed }) => [`saved for account ${account}: ${changed.join(', ')}`],
  account_saved_already: ({ account }) => [`nothing changed: account ${account} had these settings before`],
  account_not_connected: ({ account }) => [
    `${account} is no connected account that is known here and gives access`,
  ],
  credentials_not_kept: ({ account }) => [
    `nothing was saved for account ${account}: set ACCOUNT_SETTINGS_KEY, which encrypts its credentials, and start again`,
  ],
  service_embedded: ({ account }) => [
    `nothing was saved for account ${account}: the embedded service makes a key and a token for each account by itself`,
  ],
  credentials_incomplete: ({ account }) => [
    `nothing was saved for account ${account}: a service key of its own needs a callback token of its own, and the other way round`,
  ],
  token_taken: ({ account }) => [
    `nothing was saved for account ${account}: choose another callback token, this one is used elsewhere`,
  ],
};

export function describeOperation(result: AnyResult): string {
  // Each text takes its own code's parameters, which the compiler cannot see through the table.
  const text = TEXTS[result.code] as (result: AnyResult) => readonly string[];
  return text(result).join('\n');
}

/** Nothing changed has an exit code of its own. */
const EXIT_CODES: Readonly<Record<Outcome, number>> = {
  changed: 0,
  unchanged: 3,
  refused: 1,
  not_found: 1,
};

/** 1 also where only a part was done. */
export function exitCodeOf(result: AnyResult): number {
  const isPartial =
    result.code === 'handed_back'
      ? result.notOurs.length > 0 || result.invoices.some(({ became }) => became === 'kept')
      : 'isStillPaused' in result && result.isStillPaused;
  return isPartial ? 1 : EXIT_CODES[result.outcome];
}

export interface HandBackLook {
  readonly invoice: string;
  readonly became: keyof typeof FATES;
  readonly reason?: Reason | undefined;
}

export function describeLook({ invoice, became, reason }: HandBackLook): string {
  return `${invoice}: ${FATES[became]}${reason ? `, ${describeReason(reason)}` : ''}`;
}

const FATES = {
  handed_back: 'handed back to Stripe',
  settled: 'nothing to hand back',
  kept: 'kept',
} as const;

function describeHandBack({
  invoices,
  notOurs,
}: Extract<AnyResult, { code: 'handed_back' | 'all_kept' }>): string[] {
  const count = (fate: keyof typeof FATES) => invoices.filter(({ became }) => became === fate).length;
  return [
    ...notOurs.map((id) => `${id}: not taken over`),
    ...invoices.map(describeLook),
    `${count('handed_back')} handed back, ${count('settled')} settled, ${count('kept')} kept`,
  ];
}

type PauseView = Extract<AnyResult, { code: 'paused' }>['pauses'][number];

function describePauseView({ account, since, by, why }: PauseView): string {
  return `PAUSED: ${describePause({ account, reason: why, pausedBy: by, pausedAt: new Date(since) })}`;
}

function warnOfStripe(at: string | undefined, what: string): string[] {
  return at === undefined ? [] : [`Stripe itself still means to try at ${moment(at)}: ${what}`];
}

function countOf(ids: readonly string[] | undefined, what: string, fate: string): string[] {
  return ids === undefined ? [] : [`${plural(ids.length, what)} put back, ${fate}`];
}

function leftAlone(ids: readonly string[]): string[] {
  return ids.map((id) => `  ${id}: nothing like that, left alone`);
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function moment(iso: string): string {
  return exactMoment(DateTime.fromISO(iso).toJSDate());
}
