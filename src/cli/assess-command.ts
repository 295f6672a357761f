import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { fromUnixSeconds, systemClock } from '../core/base/clock.ts';
import { readOptions, watchInterruption } from '../core/base/command-options.ts';
import { PluginError } from '../core/base/errors.ts';
import { createStripeClient, type StripeClient } from '../plugin/clients/stripe-client.ts';
import { createProgressLine, drawBar } from '../plugin/operator/text/progress-line.ts';
import { OWN_ACCOUNT } from '../plugin/settings/account.ts';
import { loadStripeKey } from '../plugin/settings/config.ts';
import type { StripeKey } from '../plugin/settings/stripe-settings.ts';
import { assessHistory } from '../workbench/assess/figures/assessment.ts';
import { readFailedRenewals } from '../workbench/assess/history/failed-renewals.ts';
import { type HistoryFile, openHistoryFile } from '../workbench/assess/history/history-file.ts';
import { readHistory } from '../workbench/assess/history/read-history.ts';
import { describeAssessment } from '../workbench/assess/report/describe-assessment.ts';
import { renderReport } from '../workbench/assess/report/report-page.tsx';
import { startPastAccount } from '../workbench/assess/sample/past-account.ts';
import { interruption, type Terminal } from './process/interruption.ts';

const MOST_MONTHS = 36;
const assessOptions = z.object({
  months: z.coerce.number().int().min(1).max(MOST_MONTHS).default(12),
  out: z.string().min(1).default('assessment'),
  sandbox: z.boolean().default(false),
});

/** Contents of the simulated account. */
const SANDBOX = { customers: 250, seed: 7 };
/** A quarter of the account's rate limit for each of three lists: the merchant's own calls continue. */
const SHARE_OF_A_LIST = 4;

interface Request {
  readonly key: StripeKey;
  readonly now: DateTime;
  readonly months: number;
  readonly out: string;
  readonly isSimulated: boolean;
}

/** Exit code 0 once the report is written; 1 after an interruption, which the next run goes on from. */
export async function runAssess(options: unknown, terminal: Terminal = interruption()): Promise<number> {
  const problem = `--months must be a whole number from 1 to ${MOST_MONTHS}`;
  const { sandbox: isSimulated, ...asked } = readOptions(assessOptions, options, problem);
  const now = systemClock.now().startOf('second');
  if (!isSimulated)
    return assess({ ...asked, key: loadStripeKey({}, process.env), now, isSimulated }, terminal);
  terminal.output.write(
    `Playing ${asked.months} months of ${SANDBOX.customers} simulated customers with Stripe's own retries …\n`,
  );
  const sandbox = await startPastAccount({ ...SANDBOX, end: now, months: asked.months });
  try {
    const { secretKey, url } = sandbox;
    const key = loadStripeKey({ stripeSecretKey: secretKey, stripeApiBase: url }, {});
    return await assess({ ...asked, key, now, isSimulated }, terminal);
  } finally {
    await sandbox.stop();
  }
}

async function assess(request: Request, terminal: Terminal): Promise<number> {
  const { key, now, months, out, isSimulated } = request;
  const stripe = createStripeClient(key);
  const account = await findAccount(stripe);
  mkdirSync(out, { recursive: true });
  const file = openHistoryFile(join(out, 'history.part.jsonl'), {
    account: account.id,
    from: Math.floor(now.minus({ months }).toSeconds()),
    to: Math.floor(now.toSeconds()),
  });
  const isWhole = await read(stripe, file, request, terminal);
  if (!isWhole) {
    terminal.output.write(`Stopped; what was read is kept in ${out}. Run it again to go on there.\n`);
    return 1;
  }
  const { from, to } = file.scope;
  const assessment = assessHistory(readFailedRenewals(file.pages), fromUnixSeconds(to));
  const facts = {
    accountName: account.name,
    accountId: account.id,
    from: fromUnixSeconds(from).toISODate() ?? '',
    to: fromUnixSeconds(to).toISODate() ?? '',
    isSimulated,
    assessment,
  };
  writeFileSync(join(out, 'report.html'), renderReport(facts));
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(facts, null, 2)}\n`);
  file.remove();
  const summary = describeAssessment(assessment, { months, isSimulated });
  terminal.output.write(`Written: ${join(out, 'report.html')} and report.json\n\n${summary}\n`);
  return 0;
}

/** A key that may not read the account is recognized. */
async function findAccount(stripe: StripeClient): Promise<{ id: string; name: string }> {
  try {
    return (await stripe.findProfile(OWN_ACCOUNT)) ?? { id: 'account', name: 'your Stripe account' };
  } catch (error) {
    throw explain(stripe, error);
  }
}

async function read(
  stripe: StripeClient,
  file: HistoryFile,
  { key }: Request,
  { output, interrupted }: Terminal,
): Promise<boolean> {
  const line = createProgressLine(output);
  try {
    return await readHistory(stripe, file, {
      account: OWN_ACCOUNT,
      perSecond: Math.max(1, Math.floor(key.requestsPerSecond / SHARE_OF_A_LIST)),
      isInterrupted: watchInterruption(interrupted),
      onPage: (share, records) =>
        line.show(`${drawBar(share)}${`${Math.floor(share * 100)} %`.padStart(6)} · ${records} read`),
    });
  } catch (error) {
    throw explain(stripe, error);
  } finally {
    line.end();
  }
}

function explain(stripe: StripeClient, error: unknown): PluginError {
  const { message, permission } = stripe.describeRefusal(error);
  return new PluginError('UPSTREAM_FAILED', `Stripe could not be read: ${message}`, {
    help: permission
      ? `Give the restricted key ${permission}, and run it again: it goes on where it stopped.`
      : 'Run it again: it goes on where it stopped.',
    cause: error,
  });
}
