import type { DateTime } from 'luxon';
import { z } from 'zod';
import { PLANNED_POINTS, planCustomers } from '../../../core/base/cluster-comparison.ts';
import { readOptions } from '../../../core/base/command-options.ts';
import type { Database } from '../../../core/database/database.ts';
import {
  describeCompared,
  describeDrawn,
  describeMeasured,
} from '../../operator/text/describe-experiment.ts';
import { type Experiment, readExperiment } from '../../store/reports/experiment.ts';
import { refreshFailures } from '../../store/reports/money/refresh-failures.ts';
import { print, type StoreCommandRow } from './store-command.ts';

const number = (low: number, high: number) => {
  const error = `must be a number from ${low} to ${high}`;
  return z.coerce.number({ error }).min(low, { error }).max(high, { error });
};
const compareOptions = z.object({
  json: z.boolean().default(false),
  plan: z.boolean().default(false),
  export: z.boolean().default(false),
  percent: number(1, 90).default(50),
  share: number(1, 99).default(50),
  customers: number(1, 1e9).optional(),
});

const NONE =
  'No customer is drawn yet: set EXPERIMENT, such as stripe:10, and start again. `compare --plan` says how many customers it takes.';
export const compare: StoreCommandRow = {
  group: 'Operate',
  name: 'compare',
  description: 'compare recovery with the control group (EXPERIMENT)',
  options: [
    ['--plan', 'how many customers it takes for which difference; reads nothing'],
    ['--percent <n>', 'plan: left to Stripe (50)'],
    ['--share <n>', 'plan: percent of the cases that Stripe recovers (50)'],
    ['--customers <n>', 'plan: new ones with a failed invoice each month, to say how long'],
    ['--export', 'counts without ids, to publish (docs/concepts/what-to-expect.md)'],
    ['--json', 'print it as JSON'],
  ],
  environment: 'database',
  examples: ['compare', 'compare --plan --percent 50 --customers 400', 'compare --export > counts.json'],
  run: (context, _args, options) => {
    const given = readOptions(compareOptions, options);
    if (given.plan) return Promise.resolve(print(context, describePlan(given)));
    return context.withStore(async ({ database, clock }) => {
      await refresh(database);
      const experiment = await readExperiment(database, clock.now());
      if (given.export) return print(context, toJson(toExport(experiment)));
      if (given.json) return print(context, toJson(experiment ?? null));
      return print(context, experiment ? describe(experiment) : NONE);
    });
  },
};

/** Portions of changes recomputed at a time; the next look does the rest. */
const MOST_PORTIONS = 50;

async function refresh(database: Database): Promise<void> {
  for (let portion = 0; portion < MOST_PORTIONS; portion += 1) if (!(await refreshFailures(database))) return;
}

function describe(experiment: Experiment): string {
  const { compared, matureDays } = experiment;
  const lines = compared.map((one) => describeCompared(experiment, one));
  return [
    describeDrawn(experiment),
    describeMeasured(experiment),
    `Failed invoices that began ${matureDays} days ago or earlier, paid within ${matureDays} days; net of refunds and lost disputes; open disputes count as paid:`,
    ...(lines.length > 0 ? lines : ['none yet: too little to say']),
  ].join('\n');
}

/** Sums of each arm, as docs/concepts/what-to-expect.md publishes them: no id, no name, no day but that of the start. */
function toExport(experiment: Experiment | undefined): object {
  if (!experiment) return { format: 1, experiment: null };
  const { since, endedAt, ...rest } = experiment;
  const day = (at: DateTime<true> | null) => at?.toISODate() ?? null;
  return { format: 1, experiment: { ...rest, since: day(since), endedAt: day(endedAt) } };
}

function describePlan({ percent, share, customers }: z.output<typeof compareOptions>): string {
  const expected = { share: share / 100, casesOfCustomer: 1.5, likeness: 0.3, percent };
  const rows = PLANNED_POINTS.map((points) => {
    const count = planCustomers(points, expected);
    const months = customers === undefined ? '' : `, ${Math.ceil(count / customers) + 1} months`;
    return `  ${String(points).padStart(2)} points: ${count.toLocaleString('en')} customers${months}`;
  });
  return [
    `Customers with a failed invoice, both sides together, until a true difference shows in four of five comparisons`,
    `(${percent} % left to Stripe, ${share} % recovered there, 1.5 cases a customer, correlation 0.3):`,
    ...rows,
    ...(customers === undefined
      ? ['With --customers <n>, new ones a month, it says how long that takes.']
      : []),
  ].join('\n');
}

const toJson = (value: object | null) => JSON.stringify(value, null, 2);
