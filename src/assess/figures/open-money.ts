/** What is still open, by what it would take to collect it. Pure. */
import { classifyDecline, type DeclineClass } from '../../declines/decline-classes.ts';
import { groupBy } from '../group-by.ts';
import { codesOf, type FailedRenewal } from '../history/failed-renewals.ts';

/** `retry` an attempt may be made · `card` the customer must give another · `confirm` the customer must confirm · `merchant` only the merchant can help. */
export type Need = 'retry' | 'card' | 'confirm' | 'merchant';

export interface OpenMoney {
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

/** By the latest answer. The history does not say whether the subscription still runs. */
export function listOpenMoney(failed: readonly FailedRenewal[]): OpenMoney[] {
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
