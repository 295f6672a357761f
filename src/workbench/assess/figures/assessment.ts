/**
 * Figures of an account's own history, and its open invoices by what collecting them would take. Money is in minor units and
 * never added across currencies. Pure.
 */
import type { DateTime } from 'luxon';
import { classifyDecline, type DeclineClass } from '../../../core/declines/decline-classes.ts';
import { groupBy } from '../group-by.ts';
import { type Cause, codesOf, type FailedRenewal, type History } from '../history/failed-renewals.ts';
import { type JudgedAttempt, judgeRepeated } from './judge-attempts.ts';

/** Days after its first failure from which a renewal counts in a share; too few of the younger ones have ended. */
export const MATURE_DAYS = 30;

export interface Counted {
  readonly invoices: number;
  readonly amount: number;
}

/** One row of a table: what failed, and what became of it. */
export interface FailedRow {
  readonly key: string;
  readonly currency: string;
  readonly failed: Counted;
  readonly recovered: Counted;
  readonly open: Counted;
  readonly lost: Counted;
  /** Younger than 30 days: in none of the shares. */
  readonly young: Counted;
}

export interface CauseRow {
  readonly cause: Cause;
  readonly currency: string;
  readonly recovered: Counted;
  readonly medianDays: number;
  /** Renewals recovered by each day after the failure, from 0 to 30. */
  readonly byDay: readonly number[];
}

export interface NamedCount {
  readonly name: string;
  readonly attempts: number;
  /** Those paid nevertheless. */
  readonly paid: number;
}

export type Assessment = ReturnType<typeof assessHistory>;

export function assessHistory(history: History, now: DateTime) {
  const { renewals, failed } = history;
  const isMature = ({ failedAt }: FailedRenewal) => failedAt <= now.minus({ days: MATURE_DAYS });
  const rows = (keyOf: (one: FailedRenewal) => string) => tabulate(failed, keyOf, isMature);
  const failedIds = new Set(failed.map(({ invoice }) => invoice.id));
  const judged = judgeRepeated(history.attempts).filter(({ attempt }) => failedIds.has(attempt.invoiceId));
  return {
    renewals: [...groupBy(renewals, ({ currency }) => currency)].map(([currency, invoices]) => ({
      currency,
      charged: countOf(invoices),
    })),
    total: rows(() => 'all'),
    byMonth: rows(({ failedAt }) => failedAt.toFormat('yyyy-MM')).sort(byKey),
    byReason: rows(reasonOf),
    byNetwork: rows(({ attempts: [first] }) => first?.brand ?? first?.methodType ?? 'none'),
    byCountry: rows(({ invoice }) => invoice.country ?? 'unknown'),
    causes: listCauses(failed),
    attempts: countAttempts(judged),
    open: listOpenMoney(failed),
  };
}

/** The reason of the first decline. */
function reasonOf({ attempts: [first] }: FailedRenewal): string {
  return first?.declineCode ?? first?.code ?? 'no_payment_method';
}

function byKey(one: FailedRow, other: FailedRow): number {
  return one.key.localeCompare(other.key);
}

/** A row for each key and currency, the most failures first. */
function tabulate(
  failed: readonly FailedRenewal[],
  keyOf: (one: FailedRenewal) => string,
  isMature: (one: FailedRenewal) => boolean,
): FailedRow[] {
  const groups = groupBy(failed, (one) => JSON.stringify([keyOf(one), one.invoice.currency]));
  const rows = [...groups.values()].flatMap((group): FailedRow[] => {
    const [first] = group;
    if (first === undefined) return [];
    const mature = group.filter(isMature);
    const ended = (kind: string) => countFailed(mature.filter(({ ending }) => ending.kind === kind));
    return [
      {
        key: keyOf(first),
        currency: first.invoice.currency,
        failed: countFailed(mature),
        recovered: ended('recovered'),
        open: ended('open'),
        lost: ended('lost'),
        young: countFailed(group.filter((one) => !isMature(one))),
      },
    ];
  });
  return rows.sort((one, other) => other.failed.invoices - one.failed.invoices);
}

function countFailed(failed: readonly FailedRenewal[]): Counted {
  return countOf(failed.map(({ invoice }) => invoice));
}

function countOf(invoices: readonly { readonly amountDue: number }[]): Counted {
  return {
    invoices: invoices.length,
    amount: invoices.reduce((sum, { amountDue }) => sum + amountDue, 0),
  };
}

function listCauses(failed: readonly FailedRenewal[]): CauseRow[] {
  const recovered = failed.flatMap(({ invoice, failedAt, ending }) =>
    ending.kind === 'recovered'
      ? [{ invoice, cause: ending.cause, days: Math.max(0, ending.at.diff(failedAt).as('days')) }]
      : [],
  );
  const groups = groupBy(recovered, ({ cause, invoice }) => `${cause} ${invoice.currency}`);
  return [...groups.values()].flatMap((group): CauseRow[] => {
    const [first] = group;
    if (first === undefined) return [];
    const days = group.map((one) => one.days).sort((one, other) => one - other);
    return [
      {
        cause: first.cause,
        currency: first.invoice.currency,
        recovered: countOf(group.map(({ invoice }) => invoice)),
        medianDays: days[Math.floor(days.length / 2)] ?? 0,
        byDay: Array.from({ length: MATURE_DAYS + 1 }, (_, day) => days.filter((one) => one <= day).length),
      },
    ];
  });
}

function countAttempts(judged: readonly JudgedAttempt[]) {
  const hopeless = judged.filter(({ stoppedBy, isFinal }) => stoppedBy === 'hard_decline' && isFinal);
  return {
    /** Attempts on renewals after the first failure. */
    repeated: judged.length,
    paid: judged.filter(isPaid).length,
    /** Attempts with a card that the bank had declined for good. */
    hopeless: toCount('hard_decline', hopeless),
    /** Beyond a card network's or debit scheme's own limit. */
    beyondLimits: countBy(judged, ({ beyond }) => beyond),
    /** What our guards would have stopped, or made wait. */
    stopped: countBy(judged, ({ stoppedBy }) => stoppedBy),
  };
}

function countBy(
  judged: readonly JudgedAttempt[],
  nameOf: (one: JudgedAttempt) => string | undefined,
): NamedCount[] {
  return [...groupBy(judged, nameOf)]
    .flatMap(([name, group]) => (name === undefined ? [] : [toCount(name, group)]))
    .sort((one, other) => other.attempts - one.attempts);
}

function toCount(name: string, judged: readonly JudgedAttempt[]): NamedCount {
  return { name, attempts: judged.length, paid: judged.filter(isPaid).length };
}

function isPaid({ attempt }: JudgedAttempt): boolean {
  return attempt.outcome === 'paid';
}

/** `retry` an attempt may be made · `card` the customer must give another · `confirm` the customer must confirm · `merchant` only the merchant can help. */
export type Need = 'retry' | 'card' | 'confirm' | 'merchant';

interface OpenMoney {
  readonly currency: string;
  readonly need: Need;
  readonly invoices: number;
  /** Minor units that remain to be paid. */
  readonly amount: number;
}

const NEEDS: Readonly<Record<DeclineClass, Need>> = {
  retryable: 'retry',
  wait: 'retry',
  needs_new_card: 'card',
  needs_customer: 'confirm',
  never: 'merchant',
};

/** Open invoices by their latest answer. The history does not say whether the subscription still runs. */
function listOpenMoney(failed: readonly FailedRenewal[]): readonly OpenMoney[] {
  const open = failed.filter(({ ending }) => ending.kind === 'open');
  const groups = groupBy(open, (one) => JSON.stringify([one.invoice.currency, needOf(one)]));
  return [...groups.values()]
    .flatMap((group): OpenMoney[] => {
      const [first] = group;
      if (first === undefined) return [];
      const amount = group.reduce((sum, { invoice }) => sum + invoice.amountRemaining, 0);
      return [{ currency: first.invoice.currency, need: needOf(first), invoices: group.length, amount }];
    })
    .sort((one, other) => other.amount - one.amount);
}

function needOf({ attempts }: FailedRenewal): Need {
  const last = attempts.findLast(({ outcome }) => outcome === 'declined');
  return last === undefined ? 'card' : NEEDS[classifyDecline(codesOf(last)).class];
}
