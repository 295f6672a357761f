import { createStripeClient } from '../clients/stripe-client.ts';
import { systemClock } from '../clock.ts';
import { loadConfig } from '../config/config.ts';
import { silentLogger } from '../logger.ts';
import { type CommandResult, printResult, writeToTerminal } from '../operator/text/command-result.ts';
import { describePauses } from '../operator/text/describe-pauses.ts';
import { describeReason } from '../operator/text/describe-reason.ts';
import { type Handback, type HandbackDeps, handBack } from '../retry/exclusive/hand-back-invoice.ts';
import { listPauses } from '../store/tables/retry/pauses.ts';
import { listTakenOver } from '../store/tables/retry/takeovers.ts';
import { withDatabase } from './process/with-database.ts';

/** For uninstalling, or for single invoices. Exit code 1 if one was kept, or is not in our hands. */
export async function runHandback(invoiceIds: readonly string[]): Promise<number> {
  const config = loadConfig();
  const stripe = createStripeClient(config);
  const result = await withDatabase((database) =>
    reportHandback({ config, database, stripe, logger: silentLogger, clock: systemClock }, invoiceIds),
  );
  return printResult(result, writeToTerminal);
}

const WORDS: Readonly<Record<Handback['kind'], string>> = {
  handed_back: 'given back to Stripe',
  settled: 'nothing to give back',
  kept: 'kept',
};

/** All that was taken over, if no ids are given. */
export async function reportHandback(
  deps: HandbackDeps,
  invoiceIds: readonly string[],
): Promise<CommandResult> {
  const pauses = await listPauses(deps.database);
  if (pauses.length > 0)
    return {
      code: 1,
      text: `${describePauses(pauses).join('\n')}\nNothing was given back: \`resume\` first.`,
    };
  const ours = await listTakenOver(deps.database, invoiceIds.length > 0 ? invoiceIds : undefined);
  const counts: Record<Handback['kind'], number> = { handed_back: 0, settled: 0, kept: 0 };
  const lines = invoiceIds
    .filter((id) => !ours.some(({ invoiceId }) => invoiceId === id))
    .map((id) => `${id}: not in our hands`);
  const isComplete = lines.length === 0;
  for (const key of ours) {
    const result = await handBack(deps, key, { code: 'operator_asked' });
    counts[result.kind] += 1;
    const why = 'reason' in result ? `, ${describeReason(result.reason)}` : '';
    lines.push(`${key.invoiceId}: ${WORDS[result.kind]}${why}`);
  }
  lines.push(`${counts.handed_back} given back, ${counts.settled} settled, ${counts.kept} kept`);
  return { code: isComplete && counts.kept === 0 ? 0 : 1, text: lines.join('\n') };
}
