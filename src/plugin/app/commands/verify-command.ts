/** `verify`: compares the stored data with Stripe's. */

import { z } from 'zod';
import { readOptions } from '../../../core/base/command-options.ts';
import { describeReason } from '../../operator/text/describe-reason.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import { findLastReport } from '../../store/reports/backfill-report.ts';
import { type FoundDrift, listDrifts, listVerifications } from '../../store/reports/verifications.ts';
import { BAD_MONTHS, INTERRUPTED, READING_OPTIONS, requireServed, watchReading } from './backfill-command.ts';
import { count } from './describe-backfill.ts';
import { type CommandContext, type PluginParts, print, type StoreCommandRow } from './store-command.ts';

const verifyOptions = z.object({
  ...READING_OPTIONS,
  fix: z.boolean().default(false),
  json: z.boolean().default(false),
});
type VerifyOptions = z.output<typeof verifyOptions>;

const MOST_SHOWN = 1_000;

/** Changes nothing; with `--fix` everything is read again where something differs. Exit code 0 only where nothing differs. */
export const verify: StoreCommandRow = {
  group: 'Operate',
  name: 'verify',
  description: 'compare stored data with Stripe and show differences',
  options: [
    ['--months <n>', 'months of invoices and charges (12); subscriptions and open invoices: all'],
    ['--account <id>', 'the connected account, if it is not your own'],
    ['--fix', 'then read everything again, which repairs differences'],
    ['--json', 'print it as JSON'],
  ],
  environment: 'settings',
  examples: ['verify', 'verify --fix', 'verify --months 2 --json'],
  exitCodes: { 1: 'something differs, or not everything could be compared' },
  run: (context, _args, given) => {
    const options = readOptions(verifyOptions, given, BAD_MONTHS);
    return context.withPlugin(async (plugin) => {
      const { account, months } = options;
      await requireServed(plugin, account);
      const end = await watchReading(plugin, { account, kind: 'verification', months }, context);
      return end === 'interrupted' ? print(context, INTERRUPTED) : conclude(plugin, options, context);
    });
  },
};

async function conclude(
  plugin: PluginParts,
  options: VerifyOptions,
  context: CommandContext,
): Promise<number> {
  const { account, fix, json } = options;
  const [verification] = await listVerifications(plugin.database, account);
  if (verification === undefined) return 1;
  const { run, finishedAt, reason, compared, differing, unconfirmed, notBackfilledBefore } = verification;
  const drifts = await listDrifts(plugin.database, run, MOST_SHOWN);
  const isWhole = finishedAt !== null && unconfirmed === 0;
  const code = isWhole && differing === 0 ? 0 : 1;
  if (json) return print(context, { code, text: JSON.stringify({ ...verification, drifts }, null, 2) });
  const lines = drifts.map(describeDrift);
  if (differing > drifts.length) lines.push(`… and ${count(differing - drifts.length)} more`);
  if (unconfirmed > 0)
    lines.push(`${count(unconfirmed)} more differed when they were listed, and were not looked at again.`);
  if (finishedAt === null)
    lines.push(
      `Incomplete: ${reason === null ? 'not everything was read' : describeReason(reason)}. Run it again to go on there.`,
    );
  lines.push(
    `${count(compared)} objects of Stripe compared, ${differing === 0 ? 'none differs' : `${count(differing)} differ`}.`,
  );
  if (notBackfilledBefore !== null)
    lines.push(
      `Not backfilled before ${exactMoment(notBackfilledBefore)}: older invoices and payments were not compared. \`backfill --months ${verification.months}\` reads them.`,
    );
  if (differing > 0 && (await findLastReport(plugin.database, account)) === undefined)
    lines.push(
      'Nothing was ever read from Stripe, so what is older than the installation is not stored: run `backfill`.',
    );
  else if (differing > 0 && !fix)
    lines.push('`verify --fix` reads everything again, which repairs what Stripe can tell.');
  print(context, { code, text: lines.join('\n') });
  return differing > 0 && fix ? readAgain(plugin, options, context) : code;
}

async function readAgain(plugin: PluginParts, { account, months }: VerifyOptions, context: CommandContext) {
  const end = await watchReading(plugin, { account, months }, context);
  const text =
    end === 'complete'
      ? 'Everything was read again. Run `verify` once more to see what is left.'
      : 'Not everything was read again. `backfill` goes on there.';
  // The exit code reports differences, even repaired ones.
  return print(context, { code: 1, text });
}

const NAMES: Readonly<Record<FoundDrift['kind'], string>> = {
  subscriptions: 'subscription',
  invoices: 'invoice',
  charges: 'charge',
  attempts: 'attempt of ours',
  actions: 'planned action',
};

/** `invoice in_1: status is open here, paid at Stripe`. */
function describeDrift({ kind, id, difference }: FoundDrift): string {
  const parts = Object.entries(difference).map(
    ([name, [here, there]]) => `${name} is ${show(here)} here, ${show(there)} at Stripe`,
  );
  return `${NAMES[kind]} ${id}: ${parts.join('; ')}`;
}

function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
