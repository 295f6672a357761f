/** What the guards and the limits say, with a word for each of the three cases. */
import type { DateTime } from 'luxon';
import type { Objection } from '../../src/plugin/retry/actions/objection.ts';
import { judge as findObjection, type GuardContext } from '../../src/plugin/retry/guards/guards.ts';
import {
  type CountedAttempt,
  checkLimits as findLimit,
  type LimitContext,
} from '../../src/plugin/retry/guards/network-limits.ts';
import type { PayableInvoice } from '../../src/plugin/retry/invoice/payable-invoice.ts';
import { buildGuardContext } from './database/stored-rows.ts';

export type Verdict =
  | { kind: 'pass' }
  | ({ kind: 'stop' } & Objection)
  | ({ kind: 'postpone'; until: DateTime } & Objection);

export function judge(context: GuardContext): Verdict {
  const objection = findObjection(context);
  if (objection === undefined) return { kind: 'pass' };
  const { until } = objection;
  return until === undefined ? { kind: 'stop', ...objection } : { kind: 'postpone', ...objection, until };
}

export type LimitVerdict =
  | { kind: 'allowed' }
  | ({ kind: 'exhausted' } & Omit<Objection, 'guard'>)
  | ({ kind: 'wait'; until: DateTime } & Omit<Objection, 'guard'>);

export function checkLimits(attempts: readonly CountedAttempt[], context: LimitContext): LimitVerdict {
  const found = findLimit(attempts, context);
  if (found === undefined) return { kind: 'allowed' };
  const { follows: _, ...limit } = found;
  const { until } = limit;
  return until === undefined ? { kind: 'exhausted', ...limit } : { kind: 'wait', ...limit, until };
}

/** What differs from a payment that nothing stands against, and the whole answer of the guards; none where they let it pass. */
export type GuardCase = [
  changes: Partial<GuardContext>,
  invoice: Partial<PayableInvoice>,
  answer?: Objection | undefined,
];

export function expectAnswers(cases: readonly GuardCase[]): void {
  const answers = cases.map(([changes, invoice]) =>
    withoutFollows(findObjection(buildGuardContext(changes, invoice))),
  );
  expect(answers).toEqual(cases.map(([, , answer]) => answer));
}

/** What stands against it, and not what follows. */
export function withoutFollows(objection: Objection | undefined): Objection | undefined {
  if (!objection) return undefined;
  const { follows: _, ...said } = objection;
  return said;
}
