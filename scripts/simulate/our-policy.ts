/** The service's policy as a contestant: it sees what the service would see, as the service would pass it. */
import { DateTime } from 'luxon';
import { createPolicy, type Policy } from '../../src/service/policy/create-policy.ts';
import type { LearnedState } from '../../src/service/policy/learning/learned.ts';
import type {
  CaseLimits,
  Odds,
  PastAttempt,
  PaymentCase,
  SuggestedAction,
  TimeChoices,
} from '../../src/service/policy/payment-case.ts';
import type { Contestant, VisibleCase } from './play.ts';
import { START_DAY } from './simulated-year.ts';

const MS_PER_HOUR = 3_600_000;
const START_MS = START_DAY * 24 * MS_PER_HOUR;

export interface OursOptions {
  /** Where they are not those that the service ships with. */
  limits?: Partial<CaseLimits>;
  seed: number;
  /** Whether times about as good as the best are drawn among: so it ships. */
  isSoft?: boolean;
  /** What it has learned elsewhere. */
  state?: LearnedState;
  /** Told what came of each retry whose odds were promised. */
  onAnswer?(caseId: number, odds: Odds, isPaid: boolean): void;
}

/** What it would do, with all options and without learning anything. */
export interface Ours extends Contestant {
  look(
    seen: VisibleCase,
    tries: readonly number[],
    now: number,
  ): { choices: TimeChoices | undefined; hour: number } | undefined;
  snapshot(): LearnedState;
}

export function createOurs(options: OursOptions): Ours {
  const policy: Policy = createPolicy(options.state, options.seed, 0, options.isSoft);
  const past = createPast();
  const arms = new Map<number, 'engine' | 'spread'>();
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
    // Half of the cards, whatever is behind them.
    funding: seen.subscriber % 2 === 0 ? 'debit' : 'credit',
    attempts: [seen.failedAt, ...tries].map((hour) => ({
      at: momentOf(hour),
      code: seen.code,
      methodType: 'card',
    })),
    instructions: asked,
    past: past.of(seen),
    ...(options.limits && { limits: options.limits }),
  });

  const decide = (seen: VisibleCase, tries: readonly number[], hour: number): SuggestedAction | undefined => {
    const now = momentOf(hour);
    let decision = policy.decide(toCase(seen, tries), now);
    // Mails are the same plan for every contestant: one that is suggested is taken as sent.
    if ('suggestion' in decision && decision.suggestion !== 'ACTION_SUGGESTION_RETRY')
      decision = policy.decide(toCase(seen, tries, [{ ...decision, at: now }]), now);
    return 'suggestion' in decision && decision.suggestion === 'ACTION_SUGGESTION_RETRY'
      ? decision
      : undefined;
  };

  return {
    snapshot: policy.snapshot,
    look: (seen, tries, now) => {
      const decision = decide(seen, tries, now);
      return decision && { choices: decision.choices, hour: hourOf(decision.at) };
    },
    next: (seen, tries, hour) => {
      const decision = decide(seen, tries, hour);
      if (!decision) return undefined;
      if (decision.arm === 'engine' || decision.arm === 'spread') arms.set(seen.id, decision.arm);
      if (decision.odds) promised.set(seen.id, decision.odds);
      // Within its hour, an answer depends on nothing.
      return hourOf(decision.at);
    },
    answered: (seen, tries, { at, isPaid }) => {
      const id = `${seen.id} ${at}`;
      policy.observe({ kind: 'attempt', id, paymentCase: toCase(seen, tries), at: momentOf(at), isPaid });
      const odds = promised.get(seen.id);
      if (odds) policy.observe({ kind: 'retry', id, odds, isPaid });
      if (odds) options.onAnswer?.(seen.id, odds, isPaid);
      if (isPaid) past.remember(seen, tries, at);
    },
    closed: (seen, { tries, isRecovered }) => {
      const arm = arms.get(seen.id);
      arms.delete(seen.id);
      promised.delete(seen.id);
      past.forget(seen);
      if (arm) policy.observe({ kind: 'closed', id: String(seen.id), arm, isRecovered, attempts: tries });
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
