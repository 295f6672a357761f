import type { DateTime } from 'luxon';
import { z } from 'zod';
import { UsageError } from '../../kit/errors.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { MATURE_DAYS } from '../../service/http/report-timing.ts';
import { migrateService } from '../../service/migrate-service.ts';
import {
  type Evaluation,
  evaluatePolicy,
  MIN_EFFECTIVE,
  POLICIES,
  type SharePercent,
} from '../../service/policy/compare/evaluate-policy.ts';
import { listLoggedCases } from '../../service/store/logged-choices.ts';
import type { Queryable } from '../../store/engine/database.ts';
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
  if (json)
    return { code, text: JSON.stringify({ policy, matureDays: MATURE_DAYS, ...evaluation }, null, 2) };
  return { code, text: `${policy}: ${words}\n${describe(evaluation)}` };
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
