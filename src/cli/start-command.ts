import { createInterface } from 'node:readline/promises';
import { createLogger } from '../core/base/logger.ts';
import { startTracing } from '../core/telemetry/start-tracing.ts';
import type { OwnPlugin } from '../plugin/app/own-plugin.ts';
import { startServer } from '../plugin/app/server.ts';
import { OWN_ACCOUNT } from '../plugin/settings/account.ts';
import { asksForTraces, loadConfig } from '../plugin/settings/config.ts';
import { publicAddress } from '../plugin/settings/own-paths.ts';
import { isNeverFilled } from '../plugin/store/tables/backfill/backfill-runs.ts';
import { exitOnFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

export async function runStart(): Promise<undefined> {
  const logger = createLogger(loadConfig({}, process.env).logLevel);
  const endTracing = asksForTraces(process.env) ? startTracing(logger) : async () => {};
  const starting = startServer({ environment: process.env, logger });
  // From the beginning: in a container nobody else ends a process that has no ear for it.
  stopOnSignal(async () => {
    await (await starting).stop();
    await endTracing();
  });
  const server = await starting;
  exitOnFailure(server.failed);
  logger.info(whereToLook(server.plugin), 'ready');
  try {
    await offerBackfill(server.plugin);
  } catch (error) {
    // A start that failed leaves nothing running.
    await server.stop();
    throw error;
  }
}

/** The console's address as an operator opens it, and the next command. */
function whereToLook({ config }: OwnPlugin) {
  return {
    console: config.signIn
      ? publicAddress(config.publicUrl, 'console').href
      : 'off: set CONSOLE_PASSWORD, CONSOLE_USERS or OIDC_ISSUER',
    next: 'npx stripe-payment-retry doctor checks this installation',
  };
}

const QUESTION =
  'What this Stripe account had before is not known here yet. Read all its subscriptions now? [Y/n] ';

/** Asks once, where somebody can answer; elsewhere the log has said what to do. */
async function offerBackfill({ config, parts }: OwnPlugin): Promise<void> {
  if (config.backfillOnStart || !process.stdin.isTTY || !process.stdout.isTTY) return;
  if (!(await isNeverFilled(parts.database, OWN_ACCOUNT))) return;
  const answer = await ask(QUESTION);
  if (answer !== undefined && /^(y(es)?)?$/i.test(answer.trim())) await parts.requestBackfill();
}

/** Undefined if the process is asked to stop first. An open question takes Ctrl-C for itself and must pass it on. */
async function ask(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once('SIGTERM', end);
  terminal.once('SIGINT', () => {
    end();
    // Not `process.kill`, which on Windows ends the process without a signal.
    process.emit('SIGINT');
  });
  try {
    return await terminal.question(question, { signal: ending.signal });
  } catch (error) {
    if (ending.signal.aborted) return undefined;
    throw error;
  } finally {
    process.off('SIGTERM', end);
    terminal.close();
  }
}
