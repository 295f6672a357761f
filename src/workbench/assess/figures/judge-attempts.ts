/** Each repeated attempt of the past before our guards, and before the card networks' own limits. Pure. */
import { ATTEMPT_LIMITS, type AttemptLimits } from '../../../core/limits/attempt-limits.ts';
import { PLANNED_GAP_HOURS } from '../../../core/limits/usual-limits.ts';
import { judgeCard } from '../../../plugin/retry/guards/guards.ts';
import { checkLimits } from '../../../plugin/retry/guards/network-limits.ts';
import { asStoredAttempt } from '../../../plugin/retry/invoice/unreported-attempts.ts';
import type { StoredAttempt } from '../../../plugin/store/tables/retry/attempts.ts';
import { groupBy } from '../group-by.ts';
import type { HistoryAttempt } from '../history/failed-renewals.ts';

export interface JudgedAttempt {
  readonly attempt: HistoryAttempt;
  /** The guard that would have stopped it, or made it wait. */
  readonly stoppedBy: string | undefined;
  /** Whether time alone would not have let it through. */
  readonly isFinal: boolean;
  /** The networks' or schemes' own limit that it was beyond (stripe-facts 5.5 to 5.8). */
  readonly beyond: string | undefined;
}

/** Limits of the networks and schemes themselves, without our margin and without Stripe's advice. */
const NETWORK_RULES: AttemptLimits = {
  perInvoice: Number.POSITIVE_INFINITY,
  unexplained: Number.POSITIVE_INFINITY,
  minGapHours: 0,
  visaPer30Days: 20,
  mastercardPer24Hours: 10,
  mastercardPer30Days: 35,
  otherCardPer30Days: Number.POSITIVE_INFINITY,
  debitPresentments: 3,
};

/** Limits of the embedded service's plans: the guards alone would allow attempts an hour apart. */
const PLANNED_LIMITS: AttemptLimits = { ...ATTEMPT_LIMITS, minGapHours: PLANNED_GAP_HOURS };

/** `attempts` are all of the account's, oldest first. An invoice's first attempt is not a repeated one. */
export function judgeRepeated(attempts: readonly HistoryAttempt[]): JudgedAttempt[] {
  const onCard = groupBy(attempts, cardOf);
  const stored = new Map(attempts.map((attempt) => [attempt.id, asStoredAttempt(attempt)]));
  const seen = new Map<string, HistoryAttempt[]>();
  return attempts.flatMap((attempt): JudgedAttempt[] => {
    const onInvoice = seen.get(attempt.invoiceId) ?? [];
    seen.set(attempt.invoiceId, [...onInvoice, attempt]);
    if (onInvoice.length === 0) return [];
    const earlier = (onCard.get(cardOf(attempt)) ?? []).filter(({ at }) => at < attempt.at);
    const isNew = onInvoice.every((other) => cardOf(other) !== cardOf(attempt));
    return [judge(attempt, earlier, { isNew, stored })];
  });
}

interface Circumstances {
  /** The customer brought another card: that is not a retry. */
  readonly isNew: boolean;
  readonly stored: ReadonlyMap<string, StoredAttempt>;
}

function judge(
  attempt: HistoryAttempt,
  earlier: readonly HistoryAttempt[],
  { isNew, stored }: Circumstances,
): JudgedAttempt {
  const { startedAt, amount, currency, invoiceId } = attempt;
  const method = {
    id: attempt.paymentMethod ?? '',
    type: attempt.methodType,
    brand: attempt.brand,
    networks: attempt.brand === undefined ? [] : [attempt.brand],
    fingerprint: attempt.fingerprint,
    expiry: attempt.cardExpiry,
    country: undefined,
  };
  const objection = judgeCard({
    now: startedAt,
    action: {
      cause: isNew ? ('card_change' as const) : ('instruction' as const),
      createdAt: startedAt,
    },
    invoice: { id: invoiceId, amountRemaining: amount, currency },
    holds: { releasedAt: undefined },
    method,
    limits: PLANNED_LIMITS,
    attempts: earlier.flatMap(({ id }) => stored.get(id) ?? []),
  });
  const beyond = checkLimits(
    earlier.map((other) => ({ ...other, network: other.brand, isPaid: other.outcome === 'paid' })),
    {
      now: startedAt,
      limits: NETWORK_RULES,
      invoiceId,
      amount,
      networks: method.networks,
      methodType: method.type,
      isNewMethod: isNew,
    },
  );
  return {
    attempt,
    stoppedBy: objection?.guard,
    isFinal: objection !== undefined && objection.until === undefined,
    beyond: beyond && limitName(beyond.reason),
  };
}

type LimitReason = NonNullable<ReturnType<typeof checkLimits>>['reason'];

function limitName(reason: LimitReason): string {
  if (reason.code !== 'attempts_with_card') return reason.code;
  return `${reason.network ?? 'card'}_${reason.hours}_hours`;
}

function cardOf({ fingerprint, paymentMethod }: HistoryAttempt): string {
  return fingerprint ?? paymentMethod ?? '';
}
