/** Plays one policy against the cases of a year: every attempt at its hour, every answer known before the next question. */

import { canSucceed } from './simulated-answers.ts';
import type { SimulatedCase } from './simulated-case.ts';
import type { World } from './worlds.ts';

/** What a policy sees of a case: never the cause. */
export interface VisibleCase {
  readonly id: number;
  readonly subscriber: number;
  readonly code: string;
  readonly brand: SimulatedCase['brand'];
  readonly amount: number;
  readonly failedAt: number;
  readonly passedAt: readonly number[];
}

export interface Contestant {
  /** The hour of the next try, later than `now`; undefined for no more. */
  next(seen: VisibleCase, tries: readonly number[], now: number): number | undefined;
  /** Called with every answer, and at the end of each case. */
  answered?(seen: VisibleCase, tries: readonly number[], answer: { at: number; isPaid: boolean }): void;
  closed?(seen: VisibleCase, end: { tries: number; isRecovered: boolean; at: number }): void;
}

export interface Result {
  /** Of the money that failed, in percent. */
  readonly recovered: number;
  readonly triesPerCase: number;
  readonly triesPerRecovery: number;
  readonly days: number;
  readonly violations: number;
  /** Share recovered by the end of each day after the failure, in percent. */
  readonly byDay: readonly number[];
}

/** One case as it stands. */
interface Open {
  readonly failed: SimulatedCase;
  readonly tries: number[];
  paidAt: number | undefined;
}

export function play(world: World, cases: readonly SimulatedCase[], contestant: Contestant): Result {
  const agenda = createAgenda();
  const all: Open[] = cases.map((failed) => ({ failed, tries: [], paidAt: undefined }));
  for (const one of all) agenda.add(one.failed.failedAt, () => ask(one, one.failed.failedAt));
  const ask = (one: Open, now: number): void => {
    const next = contestant.next(one.failed, one.tries, now);
    const end = Math.min(one.failed.endsAt, one.failed.paidByOthersAt);
    if (next === undefined || next >= end) agenda.add(Math.ceil(end), () => close(one));
    else agenda.add(Math.max(next, now + 1), (hour) => attempt(one, hour));
  };
  const attempt = (one: Open, hour: number): void => {
    const isPaid = canSucceed(world, one.failed, hour, one.tries);
    contestant.answered?.(one.failed, [...one.tries], { at: hour, isPaid });
    one.tries.push(hour);
    if (isPaid) {
      one.paidAt = hour;
      close(one);
    } else ask(one, hour);
  };
  const close = (one: Open): void => {
    const { failed, tries } = one;
    if (one.paidAt === undefined && failed.paidByOthersAt < failed.endsAt) one.paidAt = failed.paidByOthersAt;
    const at = one.paidAt ?? failed.endsAt;
    contestant.closed?.(failed, { tries: tries.length, isRecovered: one.paidAt !== undefined, at });
  };
  agenda.run();
  return summarize(all);
}

/** Hours in order; what is added for an hour runs after what was there. */
function createAgenda() {
  const hours: (((hour: number) => void)[] | undefined)[] = [];
  return {
    add: (hour: number, work: (hour: number) => void) => {
      const there = hours[hour];
      if (there) there.push(work);
      else hours[hour] = [work];
    },
    run: () => {
      for (let hour = 0; hour < hours.length; hour += 1) for (const work of hours[hour] ?? []) work(hour);
    },
  };
}

const DAYS_SHOWN = 30;

function summarize(all: readonly Open[]): Result {
  const owed = all.reduce((sum, { failed }) => sum + failed.amount, 0);
  const paid = all.filter(({ paidAt }) => paidAt !== undefined);
  const tries = all.reduce((sum, one) => sum + one.tries.length, 0);
  const byRetry = paid.filter(({ paidAt, tries: made }) => made.at(-1) === paidAt).length;
  const delay = ({ paidAt = 0, failed }: Open) => (paidAt - failed.failedAt) / 24;
  const share = (some: readonly Open[]) =>
    (100 * some.reduce((sum, { failed }) => sum + failed.amount, 0)) / owed;
  return {
    recovered: share(paid),
    triesPerCase: tries / all.length,
    triesPerRecovery: byRetry === 0 ? 0 : tries / byRetry,
    days: paid.reduce((sum, one) => sum + delay(one), 0) / Math.max(1, paid.length),
    violations: all.reduce((sum, one) => sum + countViolations(one), 0),
    byDay: Array.from({ length: DAYS_SHOWN + 1 }, (_, day) => share(paid.filter((one) => delay(one) <= day))),
  };
}

/** After these codes a card may not be tried again; the counts are the networks' (stripe-facts 5.4 to 5.6). */
const NEVER: ReadonlySet<string> = new Set([
  'lost_card',
  'stolen_card',
  'invalid_account',
  'authentication_required',
  'expired_card',
]);
const PER_30_DAYS = { visa: 15, mastercard: 35 };

function countViolations({ failed, tries }: Open): number {
  if (NEVER.has(failed.code)) return tries.length;
  const all = [failed.failedAt, ...tries];
  const tooMany = Math.max(0, all.length - PER_30_DAYS[failed.brand]);
  const tooDense = all.filter(
    (at) => all.filter((other) => other <= at && other > at - 24).length > 10,
  ).length;
  return tooMany + tooDense;
}
