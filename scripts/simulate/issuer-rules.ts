/**
 * Refusals that follow an issuer's own rules, which neither its answer nor anything else says.
 *
 * How this was written: from the sources below, in November 2026, before any policy was played on it. The author knew the policy;
 * none of its explanations was taken over. No policy is chosen on this world.
 *
 * - Limits on amounts or counts by calendar day, week and month, from midnight UTC:
 *   https://www.marqeta.com/docs/core-api/velocity-controls/velocity-controls-object and
 *   https://docs.stripe.com/issuing/controls/spending-controls
 * - Limits over a trailing window: https://www.rubydoc.info/gems/lithic/Lithic/Models/AuthRules/VelocityLimitParams
 * - A card locked for a while after several refusals:
 *   https://api-static-site.chargebee.com/docs/api/errors/gateway.transaction_processing.decline_rate_limit_exceeded
 * - A score that asks whether the hour is one at which this customer pays, and a refusal that hides it behind `do_not_honor`:
 *   https://paymentsandrisk.com/docs/fraud/detection/authorization-decisioning
 * - An issuer's system that is down: https://legalclarity.org/soft-decline-vs-hard-decline-causes-and-retry-rules/
 *
 * Assumed, as nothing is published: how common each rule is, how long limits stay used up, how many refusals lock a card.
 */
import type { Random } from '../../src/workbench/sandbox/random.ts';
import { dateOf } from './simulated-year.ts';

/** Whether the issuer approves a try at this hour, after those tries. */
export type IssuerAnswer = (hour: number, tries: readonly number[]) => boolean;

export interface IssuerRule {
  /** Of 100 charges a month. */
  readonly rate: number;
  readonly codes: Readonly<Record<string, number>>;
  /** Draws what is hidden about one card that was refused at this hour. */
  open(refusedAt: number, random: Random): IssuerAnswer;
}

const WINDOW_DAYS = 31;

export const ISSUER_RULES: readonly IssuerRule[] = [
  {
    rate: 0.5,
    codes: { card_velocity_exceeded: 0.6, do_not_honor: 0.4 },
    open: limitByDay,
  },
  {
    rate: 0.8,
    codes: { card_velocity_exceeded: 0.3, insufficient_funds: 0.4, do_not_honor: 0.3 },
    open: limitByMonth,
  },
  {
    rate: 0.6,
    codes: { card_velocity_exceeded: 0.4, do_not_honor: 0.6 },
    open: limitByTrailingWindow,
  },
  {
    rate: 1.4,
    codes: { insufficient_funds: 0.75, do_not_honor: 0.25 },
    open: usedUpCredit,
  },
  { rate: 0.9, codes: { do_not_honor: 1 }, open: lockAfterRefusals },
  {
    rate: 0.5,
    codes: { issuer_not_available: 0.4, try_again_later: 0.6 },
    open: systemDown,
  },
  {
    rate: 1,
    codes: { do_not_honor: 0.8, try_again_later: 0.2 },
    open: scoreByHabit,
  },
];

/** Used up anew at some hour of most of the issuer's days, which begin at midnight UTC: in the customer's evening, or in the night. */
function limitByDay(refusedAt: number, random: Random): IssuerAnswer {
  const beginsAt = random.pick([
    [0, 0.3],
    [1, 0.2],
    [16, 0.2],
    [19, 0.3],
  ]);
  const first = dayOfIssuer(refusedAt, beginsAt);
  const usedUpAt = Array.from({ length: WINDOW_DAYS + 1 }, (_, index) =>
    index === 0 ? 0 : random.uniform() < 0.3 ? 24 : random.between(0, 24),
  );
  return (hour) => {
    const day = dayOfIssuer(hour, beginsAt);
    return hour - (day * 24 + beginsAt) < (usedUpAt[day - first] ?? 0);
  };
}

function dayOfIssuer(hour: number, beginsAt: number): number {
  return Math.floor((hour - beginsAt) / 24);
}

/** Free again on the 1st, for some days of each month. */
function limitByMonth(refusedAt: number, random: Random): IssuerAnswer {
  const lasts = random.exponential(10);
  let first = Math.floor(refusedAt / 24) + 1;
  while (dateOf(first) !== 1) first += 1;
  return (hour) => {
    const day = Math.floor(hour / 24);
    const date = dateOf(day);
    return day >= first && date > 0 && date - 1 <= lasts;
  };
}

/** Room comes as old purchases leave the window, and goes with new ones. */
function limitByTrailingWindow(refusedAt: number, random: Random): IssuerAnswer {
  return alternate(refusedAt, { closedHours: 7 * 24, openHours: 2.5 * 24 }, random);
}

/** The bill is paid once a month, the bank frees the line some days after, and it fills again. */
function usedUpCredit(refusedAt: number, random: Random): IssuerAnswer {
  const freeAt = refusedAt + 24 * random.between(0.5, 30) + 24 * random.between(1, 4);
  const until = freeAt + 24 * random.exponential(9);
  return (hour) => hour >= freeAt && hour < until;
}

/** The obstacle passes in days, but so many refusals within a week lock the card until it was left alone for a while. */
function lockAfterRefusals(refusedAt: number, random: Random): IssuerAnswer {
  const most = 2 + Math.floor(random.between(0, 4));
  const quietHours = random.pick([
    [24, 0.2],
    [48, 0.3],
    [96, 0.3],
    [168, 0.2],
  ]);
  const passesAt = refusedAt + random.exponential(6 * 24);
  return (hour, tries) => {
    const refusals = [refusedAt, ...tries];
    const recent = refusals.filter((at) => hour - at <= 7 * 24).length;
    const isQuiet = hour - (refusals.at(-1) ?? refusedAt) >= quietHours;
    return hour >= passesAt && (recent < most || isQuiet);
  };
}

function systemDown(refusedAt: number, random: Random): IssuerAnswer {
  const until = refusedAt + random.exponential(14);
  return (hour) => hour >= until;
}

/** Approved on lucky days within the hours at which the customer usually pays; each try of the last week makes it less likely. */
function scoreByHabit(refusedAt: number, random: Random): IssuerAnswer {
  const from = Math.floor(random.between(6, 19));
  const luck = Array.from({ length: WINDOW_DAYS + 1 }, () => random.uniform());
  const base = random.between(0.02, 0.3);
  return (hour, tries) => {
    const ofDay = hour % 24;
    const isUsual = ofDay >= from && ofDay < from + 6;
    const recent = tries.filter((at) => hour - at <= 7 * 24).length;
    const drawn = luck[Math.floor((hour - refusedAt) / 24)] ?? 1;
    return drawn < base * 0.8 ** recent * (isUsual ? 1 : 0.1);
  };
}

function alternate(
  refusedAt: number,
  { closedHours, openHours }: { closedHours: number; openHours: number },
  random: Random,
): IssuerAnswer {
  const spans: [from: number, to: number][] = [];
  let at = refusedAt + random.exponential(closedHours);
  while (at < refusedAt + WINDOW_DAYS * 24) {
    const to = at + random.exponential(openHours);
    spans.push([at, to]);
    at = to + random.exponential(closedHours);
  }
  return (hour) => spans.some(([from, to]) => hour >= from && hour < to);
}
