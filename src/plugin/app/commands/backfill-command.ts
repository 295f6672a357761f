import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock } from '../../../core/base/clock.ts';
import { readOptions, watchInterruption } from '../../../core/base/command-options.ts';
import { UsageError } from '../../../core/base/errors.ts';
import { describeReason } from '../../operator/text/describe-reason.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import { createProgressLine, type ProgressOutput } from '../../operator/text/progress-line.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { createAccounts } from '../../settings/accounts.ts';
import { type BackfillReport, countNews, findLastReport } from '../../store/reports/backfill-report.ts';
import { findAccountObjection } from '../../store/tables/stored-accounts.ts';
import { countUndelivered } from '../../store/tables/sync/outbox.ts';
import { BACKFILL_MONTHS } from '../../sync/backfill/backfill-request.ts';
import {
  type ClosingRow,
  closingTable,
  describeProgress,
  type Pace,
  toClosingRow,
  totalRead,
} from './describe-backfill.ts';
import { type CommandContext, type PluginParts, print, type StoreCommandRow } from './store-command.ts';

const MOST_MONTHS = 120;
export const READING_OPTIONS = {
  months: z.coerce.number().int().min(1).max(MOST_MONTHS).default(BACKFILL_MONTHS),
  account: z.string().min(1).default(OWN_ACCOUNT),
};
export const BAD_MONTHS = `--months must be a whole number from 1 to ${MOST_MONTHS}`;
const backfillOptions = z.object(READING_OPTIONS);

/** Said after Ctrl-C. */
export const INTERRUPTED = {
  code: 1,
  text: 'Stopped after the page at hand. Run it again to go on there; a running plugin continues automatically.',
};

/** Stripe refused the key or did not answer this many times in a row: more waiting here helps nobody. */
const MOST_FAILURES = 8;
const LOOK_EVERY_MS = 1000;

/**
 * Has everything that Stripe has read, until it is delivered or refused. Exit code 0 only then. Another process on the same
 * database may do some of the work.
 */
export const backfill: StoreCommandRow = {
  name: 'backfill',
  group: 'Set up and run',
  description: 'read existing data from Stripe; continues where it stopped',
  options: [
    ['--months <n>', 'how many months of invoices and payments to read (12)'],
    ['--account <id>', 'the connected account, if it is not your own'],
  ],
  environment: 'settings',
  examples: ['backfill', 'backfill --months 24'],
  exitCodes: { 0: 'everything was read and delivered', 1: 'something is left; run it again' },
  isInLittleMemory: true,
  run: async (context, _args, options) => {
    const { months, account } = readOptions(backfillOptions, options, BAD_MONTHS);
    const { output } = context;
    return context.withPlugin(async (plugin) => {
      await requireServed(plugin, account);
      const earlier = await findLastReport(plugin.database, account);
      if (earlier?.finishedAt === null) output.write(`${describeResumption(earlier, months)}\n`);
      const end = await watchReading(plugin, { account, months }, context);
      return end === 'interrupted' ? print(context, INTERRUPTED) : conclude(plugin, account, end, output);
    });
  },
};

function describeResumption({ startedAt, months: own }: BackfillReport, asked: number): string {
  const begun = `Going on with the reading that began at ${exactMoment(startedAt)}.`;
  return own === asked
    ? begun
    : `${begun} It goes back ${own} months, not ${asked}: run it again after its end.`;
}

/** Nothing would be done for any other, and the command would wait for ever. */
export async function requireServed({ config, database }: PluginParts, account: string): Promise<void> {
  const objection = await findAccountObjection(database, createAccounts(config), account);
  if (objection !== undefined) throw new UsageError([`--account: ${describeReason(objection)}`]);
}

const NOTHING = { count: 0 };

type Ending = 'complete' | 'failing' | 'interrupted';

/** Requests a run and shows how it gets on. A verification has nothing to deliver. */
export async function watchReading(
  plugin: PluginParts,
  { account, kind, months }: { account: string; kind?: 'verification'; months: number },
  { output, interrupted: whenInterrupted }: CommandContext,
): Promise<Ending> {
  const { database } = plugin;
  const earlier = await findLastReport(database, account, kind);
  // The run that is open goes on; after one that was finished a new one begins, once its job does.
  const finishedRun = earlier?.finishedAt ? earlier.run : undefined;
  if (kind === undefined) await plugin.requestBackfill(months, account);
  else await plugin.requestVerification(months, account);
  const line = createProgressLine(output);
  const interrupted = whenInterrupted();
  const pace = createPaceKeeper();
  const isInterrupted = watchInterruption(interrupted);
  try {
    for (;;) {
      const latest = await findLastReport(database, account, kind);
      const report = latest?.run === finishedRun ? undefined : latest;
      const undelivered = kind === undefined ? await countUndelivered(database) : NOTHING;
      if (report) line.show(describeProgress(report, undelivered.count, pace(report)));
      if (report?.finishedAt && undelivered.count === 0) return 'complete';
      if (report && report.failures >= MOST_FAILURES) return 'failing';
      if (isInterrupted()) return 'interrupted';
      // The plugin's own connections keep the process alive.
      await Promise.race([interrupted, wait(LOOK_EVERY_MS, undefined, { ref: false })]);
    }
  } finally {
    line.end();
  }
}

/** Measures from the first look on, and each list from when it was first seen. */
function createPaceKeeper(): (report: BackfillReport) => Pace {
  const beganAt = systemClock.now();
  let readAtStart: number | undefined;
  let list: BackfillReport['list'] | undefined;
  let listBegan = { seconds: 0, readSeconds: 0 };
  return (report) => {
    const seconds = systemClock.now().diff(beganAt).as('seconds');
    readAtStart ??= totalRead(report);
    if (report.list !== list) listBegan = { seconds, readSeconds: report.readSeconds };
    list = report.list;
    return { seconds, readAtStart, listBegan };
  };
}

async function conclude(
  { database }: PluginParts,
  account: string,
  end: Ending,
  output: ProgressOutput,
): Promise<number> {
  const report = await findLastReport(database, account);
  if (!report) return 1;
  const rows: ClosingRow[] = [];
  for (const kind of report.kinds)
    rows.push(toClosingRow(kind, await countNews(database, report.run, kind.kind)));
  output.write(`${closingTable(rows)}\n`);
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  const problems = [
    ...(end === 'failing'
      ? [
          `Incomplete: ${report.reason === null ? 'no page was read' : describeReason(report.reason)}`,
          'Run it again to go on there.',
        ]
      : []),
    ...(refused > 0
      ? [`The service refused ${refused}: \`status\` says why, \`queue replay --refused\` sends them again.`]
      : []),
    ...rows
      .filter(({ isBalanced }) => !isBalanced)
      .map(({ kind }) => `The counts of ${kind} do not balance: run it again, and report it if it stays so.`),
  ];
  output.write(problems.length === 0 ? 'Complete.\n' : `${problems.join('\n')}\n`);
  return problems.length === 0 ? 0 : 1;
}
