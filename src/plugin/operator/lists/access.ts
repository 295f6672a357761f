/** Whether a customer may use the merchant's product, until when, and why. Pure. */
import { DateTime } from 'luxon';
import { z } from 'zod';
import { RECOVERY_DAYS } from '../../../core/limits/reminder-days.ts';
import type { Config } from '../../settings/config.ts';
import type { HeldSubscription, OwedRow } from '../../store/reports/money/customer-record.ts';

export const time = z.string().describe('ISO 8601 in UTC.');

export const nextStep = z.object({
  at: time,
  kind: z
    .string()
    .describe(
      'pay, card_update_email, confirm_payment_email, end_dunning …; stripe_retry: Stripe’s own retry.',
    ),
  invoice: z.string(),
});
export type NextStep = z.output<typeof nextStep>;

/** Every reason, with its words for people. */
export const ACCESS_REASONS = {
  good: 'Allowed',
  in_recovery: 'Allowed while the recovery runs',
  collection_stopped: 'Allowed, collection stopped by a person',
  cancel_requested: 'Allowed until the requested end',
  payment_failed: 'Ended for non-payment',
  canceled: 'Ended with the subscription',
  paused: 'Ended, subscription paused',
  sign_up_unpaid: 'Never began, first payment not made',
  no_subscription: 'None, no subscription',
  unknown_customer: 'None, unknown customer',
} as const;
type AccessReason = keyof typeof ACCESS_REASONS;

export const access = z.object({
  allowed: z.boolean(),
  until: time
    .nullable()
    .describe('When it ends unless something changes, or when it ended; null where no time is known.'),
  reason: z.enum(Object.keys(ACCESS_REASONS) as [AccessReason, ...AccessReason[]]),
  next: nextStep.nullable().describe('The next planned step of the recovery.'),
});
/** Answer of `plugin.customers.access`. */
export type Access = z.output<typeof access>;

export type AccessRules = Pick<Config, 'mode' | 'afterGivingUp' | 'accessGrace'>;

export interface AccessFacts {
  readonly isKnown: boolean;
  readonly subscriptions: readonly HeldSubscription[];
  readonly owed: readonly OwedRow[];
}

export function decideAccess(rules: AccessRules, facts: AccessFacts, now: DateTime): Access {
  const { allowed, until, reason } = judgeAccess(rules, facts, now);
  return { allowed, until: until?.toUTC().toISO() ?? null, reason, next: nextOf(facts.owed) };
}

/** One subscription is enough; of several the one that lasts longest decides. */
export function judgeAccess(
  rules: AccessRules,
  { isKnown, subscriptions, owed }: AccessFacts,
  now: DateTime,
): Verdict {
  const owedBy = (id: string) => owed.filter(({ subscriptionId }) => subscriptionId === id);
  const verdicts = subscriptions.map((one) => decideOne(rules, one, owedBy(one.id), now));
  const allowed = verdicts.filter((one) => one.allowed).sort((a, b) => rank(b, Infinity) - rank(a, Infinity));
  const ended = verdicts.sort((a, b) => rank(b, 0) - rank(a, 0));
  const [best = no(isKnown ? 'no_subscription' : 'unknown_customer')] = [...allowed, ...ended];
  const isFailing = allowed.some(({ reason }) => reason === 'in_recovery');
  return isFailing ? { ...best, reason: 'in_recovery' } : best;
}

interface Verdict {
  readonly allowed: boolean;
  readonly reason: AccessReason;
  readonly until: DateTime | null;
}

const rank = ({ until }: Verdict, endless: number) => until?.toMillis() ?? endless;
const yes = (reason: AccessReason, until: DateTime | null): Verdict => ({ allowed: true, reason, until });
const no = (reason: AccessReason, until: DateTime | null = null): Verdict => ({
  ...yes(reason, until),
  allowed: false,
});

const NEVER_PAID: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired']);

function decideOne(
  rules: AccessRules,
  { status, endsAt, hasLost }: HeldSubscription,
  owed: readonly OwedRow[],
  now: DateTime,
): Verdict {
  if (NEVER_PAID.has(status)) return no('sign_up_unpaid');
  if (status === 'canceled' || (endsAt && endsAt <= now))
    return no(hasLost || owed.length > 0 ? 'payment_failed' : 'canceled', endsAt);
  if (status === 'paused') return no(owed.length > 0 ? 'payment_failed' : 'paused');
  // Stripe sets `past_due` by the latest invoice: an older debt ends nothing.
  if (status !== 'past_due' && status !== 'unpaid') {
    if (owed.length > 0) return yes('in_recovery', endsAt);
    return yes(endsAt ? 'cancel_requested' : 'good', endsAt);
  }
  const [first] = owed;
  const last = owed.at(-1);
  if (!first || !last) return status === 'unpaid' ? no('payment_failed') : yes('in_recovery', endsAt);
  if (last.isHeld) return yes('collection_stopped', endsAt);
  const { firm, usual } = recoveryEnd(rules, last, status);
  const end = earliest([endsAt, graceEnd(rules, first), firm]);
  if (end && end <= now) return no('payment_failed', end);
  return yes('in_recovery', usual && usual > now ? earliest([end, usual]) : end);
}

function graceEnd({ accessGrace: grace }: AccessRules, row: OwedRow): DateTime | null {
  const [, days = grace.days] = grace.plans.find(([plan]) => row.planIds.includes(plan)) ?? [];
  return days === undefined ? null : row.failedAt.plus({ days });
}

interface RecoveryEnd {
  readonly firm: DateTime | null;
  /** The recovery may last longer, and access with it. */
  readonly usual: DateTime | null;
}

/**
 * Only what we took from Stripe's own collection is ours to end (stripe-facts 4.1): when the service gives up. What an email has promised
 * is kept. Elsewhere Stripe ends it, and says so by the status `unpaid`, or by planning nothing.
 */
function recoveryEnd({ mode, afterGivingUp }: AccessRules, row: OwedRow, status: string): RecoveryEnd {
  const month = row.failedAt.plus({ days: RECOVERY_DAYS });
  if (mode !== 'exclusive' || !row.isTakenOver) {
    const least = status === 'unpaid' ? row.failedAt : month;
    return { firm: latest([least, row.nextAt, row.isTakenOver ? null : row.stripeTriesAt]), usual: null };
  }
  if (afterGivingUp === 'uncollectible') return { firm: null, usual: null };
  const usual = afterGivingUp === 'leave' ? null : (row.promisedAt ?? month);
  return { firm: row.givenUpAt && (row.endingAt ?? row.givenUpAt), usual };
}

const known = (times: readonly (DateTime | null)[]) => times.filter((at) => at !== null);
const earliest = (times: readonly (DateTime | null)[]) => DateTime.min(...known(times)) ?? null;
const latest = (times: readonly (DateTime | null)[]) => DateTime.max(...known(times)) ?? null;

type Planned = Pick<OwedRow, 'invoiceId' | 'nextKind' | 'nextAt' | 'isTakenOver' | 'stripeTriesAt'>;

/** The earliest step of all. */
export function nextOf(owed: readonly Planned[]): NextStep | null {
  const steps = owed.flatMap(({ invoiceId: invoice, ...row }) =>
    [
      { kind: row.nextKind, at: row.nextAt },
      { kind: 'stripe_retry', at: row.isTakenOver ? null : row.stripeTriesAt },
    ].flatMap(({ kind, at }) => (kind && at ? [{ kind, at: at.toISO(), invoice }] : [])),
  );
  return steps.sort((one, other) => (one.at < other.at ? -1 : 1))[0] ?? null;
}

/** `Allowed while the recovery runs, until Mar 3, 2026, 9:00 AM`. */
export function describeAccess({ allowed, until, reason }: Access, moment: (iso: string) => string): string {
  const end = until === null ? '' : `${allowed ? ', until' : ' on'} ${moment(until)}`;
  return `${ACCESS_REASONS[reason]}${end}`;
}
