import type { DateTime } from 'luxon';
import { z } from 'zod';
import { UsageError } from '../../../core/base/errors.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { MATURE_DAYS } from '../../../service/http/report-timing.ts';
import { migrateService } from '../../../service/migrate-service.ts';
import {
  type Evaluation,
  evaluatePolicy,
  MIN_EFFECTIVE,
  POLICIES,
  type SharePercent,
} from '../../../service/policy/compare/evaluate-policy.ts';
import { countEnds, ENDS, type EndCounts, listLoggedCases } from '../../../service/store/logged-choices.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { print, type StoreCommand } from './store-command.ts';

const timingOptions = z.object({
  organization: z.string().default('default'),
  json: z.boolean().default(false),
});

/** Exit code 1 where the log says too little. */
export const timing: StoreCommand = (context, [action, policy = ''], options) => {
  if (action !== 'evaluate' || !POLICIES.has(policy))
    throw new UsageError([
      `Say which policy to judge: ${[...POLICIES].map(([name, { words }]) => `timing evaluate ${name} (${words})`).join(', ')}.`,
    ]);
  const { organization, json } = timingOptions.parse(options);
  return context.withStore(async ({ database, clock }) => {
    await migrateService(database);
    return print(context, await reportEvaluation(database, { organization, policy, json }, clock.now()));
  });
};

export async function reportEvaluation(
  database: Queryable,
  { organization, policy, json }: { organization: string; policy: string; json: boolean },
  now: DateTime,
): Promise<CommandResult> {
  const { prefer, words } = POLICIES.get(policy) ?? {};
  if (!prefer || !words) throw new RangeError(`no policy is called ${policy}`);
  const begunBefore = now.minus({ days: MATURE_DAYS });
  const cases = await listLoggedCases(database, organization, begunBefore);
  const evaluation = cases.length > 0 ? evaluatePolicy(cases, prefer) : undefined;
  const code = evaluation?.estimates ? 0 : 1;
  const ends = await countEnds(database, organization, begunBefore);
  if (json)
    return { code, text: JSON.stringify({ policy, matureDays: MATURE_DAYS, ends, ...evaluation }, null, 2) };
  return { code, text: `${policy}: ${words}\n${describe(evaluation)}${describeEnds(ends)}` };
}

const END_WORDS: Readonly<Record<keyof EndCounts, string>> = {
  retry: 'paid by a retry of ours',
  request: 'paid after a request to the customer',
  otherwise: 'paid without either',
  canceled: 'canceled, or left to the customer',
  given_up: 'given up',
};

function describeEnds(ends: EndCounts): string {
  const all = ENDS.reduce((sum, end) => sum + ends[end], 0);
  if (all === 0) return '';
  const lines = ENDS.map(
    (end) => `  ${((100 * ends[end]) / all).toFixed(1).padStart(5)} % ${END_WORDS[end]} (${ends[end]})`,
  );
  return [`\nHow all ${all} closed cases of that age ended:`, ...lines].join('\n');
}

function describe(evaluation: Evaluation | undefined): string {
  if (!evaluation)
    return `No closed case of the engine that began ${MATURE_DAYS} days ago or earlier: too little to say.`;
  const { cases, effective, recovered, estimates } = evaluation;
  const base = [
    `Closed cases of the engine that began ${MATURE_DAYS} days ago or earlier: ${cases}`,
    `  recovered: ${describeShare(recovered)}`,
    `  effective cases for this policy: ${effective.toFixed(0)}`,
  ];
  if (!estimates)
    return [
      ...base,
      `Too little to say: ${MIN_EFFECTIVE} effective cases and a tenth of all are the least, and their weights must fit.`,
    ].join('\n');
  return [
    ...base,
    `It would have recovered: ${describeShare(estimates.robust)} (doubly robust)`,
    `                         ${describeShare(estimates.weighted)} (weighted cases alone)`,
    `  difference: ${describeShare(estimates.difference).replaceAll(' %', ' points')}`,
  ].join('\n');
}

function describeShare({ percent, low, high }: SharePercent): string {
  return `${percent.toFixed(1)} %, 95 % interval ${low.toFixed(1)} to ${high.toFixed(1)} %`;
}
