/** The service's policy as a contestant: it sees what the service would see, as the service would pass it. */
import { DateTime } from 'luxon';
import { createPolicy } from '../../src/service/policy/create-policy.ts';
import type {
  CaseLimits,
  Odds,
  PastAttempt,
  PaymentCase,
  SuggestedAction,
} from '../../src/service/policy/payment-case.ts';
import type { Contestant, VisibleCase } from './play.ts';
import { START_DAY } from './simulated-year.ts';

const MS_PER_HOUR = 3_600_000;
const START_MS = START_DAY * 24 * MS_PER_HOUR;

export interface OursOptions {
  /** Where they are not those that the service ships with. */
  limits?: Partial<CaseLimits>;
  /** Called with the result of each retry that had odds. */
  onAnswer?(caseId: number, odds: Odds, isPaid: boolean): void;
}

export function createOurs({ limits, onAnswer }: OursOptions = {}): Contestant {
  const policy = createPolicy();
  const past = createPast();
  const promised = new Map<number, Odds>();

  const toCase = (
    seen: VisibleCase,
    tries: readonly number[],
    asked: PaymentCase['instructions'] = [],
  ): PaymentCase => ({
    id: String(seen.id),
    amount: seen.amount,
    currency: 'EUR',
    zone: 'utc',
    brand: seen.brand,
    attempts: [seen.failedAt, ...tries].map((hour) => ({
      at: momentOf(hour),
      code: seen.code,
      methodType: 'card',
    })),
    instructions: asked,
    past: past.of(seen),
    ...(limits && { limits }),
  });

  const decide = (seen: VisibleCase, tries: readonly number[], hour: number): SuggestedAction | undefined => {
    const now = momentOf(hour);
    let decision = policy.decide(toCase(seen, tries), now);
    // Emails are the same plan for every contestant: one that is suggested is taken as sent.
    if ('suggestion' in decision && decision.suggestion !== 'ACTION_SUGGESTION_RETRY')
      decision = policy.decide(toCase(seen, tries, [{ ...decision, at: now }]), now);
    return 'suggestion' in decision && decision.suggestion === 'ACTION_SUGGESTION_RETRY'
      ? decision
      : undefined;
  };

  return {
    next: (seen, tries, hour) => {
      const decision = decide(seen, tries, hour);
      if (!decision) return undefined;
      if (decision.odds) promised.set(seen.id, decision.odds);
      else promised.delete(seen.id);
      // Within its hour, an answer depends on nothing.
      return hourOf(decision.at);
    },
    answered: (seen, tries, { at, isPaid }) => {
      const odds = promised.get(seen.id);
      if (odds) onAnswer?.(seen.id, odds, isPaid);
      if (isPaid) past.remember(seen, tries, at);
    },
    closed: (seen) => {
      promised.delete(seen.id);
      past.forget(seen);
    },
  };
}

/** What subscribers paid and failed to pay before the case that is asked about. */
function createPast() {
  const ofSubscriber = new Map<number, PastAttempt[]>();
  const ofCase = new Map<number, PastAttempt[]>();

  function list({ subscriber, passedAt }: VisibleCase): PastAttempt[] {
    const passed = passedAt.map((hour) => ({ at: momentOf(hour), isPaid: true }));
    return [...passed, ...(ofSubscriber.get(subscriber) ?? [])].sort(
      (one, other) => one.at.toMillis() - other.at.toMillis(),
    );
  }

  return {
    /** The same for all questions about one case. */
    of: (seen: VisibleCase): PastAttempt[] => {
      const found = ofCase.get(seen.id) ?? list(seen);
      ofCase.set(seen.id, found);
      return found;
    },
    remember: (seen: VisibleCase, tries: readonly number[], paidAt: number): void => {
      const known = ofSubscriber.get(seen.subscriber) ?? [];
      const failures = [seen.failedAt, ...tries].map((hour) => ({ at: momentOf(hour), isPaid: false }));
      ofSubscriber.set(seen.subscriber, [...known, ...failures, { at: momentOf(paidAt), isPaid: true }]);
    },
    /** A case that is closed. */
    forget: ({ id }: VisibleCase): void => {
      ofCase.delete(id);
    },
  };
}

function hourOf(at: DateTime): number {
  return Math.floor((at.toMillis() - START_MS) / MS_PER_HOUR);
}

function momentOf(hour: number): DateTime {
  return DateTime.fromMillis(START_MS + hour * MS_PER_HOUR, { zone: 'utc' });
}
