/** The console over a real database, as a browser without its own memory sees it. */
import express from 'express';
import { DateTime } from 'luxon';
import { createSimulatedClock, type SimulatedClock } from '../../../../src/core/base/clock.ts';
import { ConfigError } from '../../../../src/core/base/errors.ts';
import { guardLogger, silentLogger } from '../../../../src/core/base/logger.ts';
import type { Database } from '../../../../src/core/database/database.ts';
import { createGuessTable } from '../../../../src/core/database/guess-table.ts';
import { createGuessLimit } from '../../../../src/core/web/guess-limit.ts';
import { answerErrors } from '../../../../src/core/web/http-errors.ts';
import { createTransport } from '../../../../src/core/web/http-server.ts';
import { createApi } from '../../../../src/plugin/operator/api/api-router.ts';
import type { Finding } from '../../../../src/plugin/operator/checks/finding.ts';
import { createConsole } from '../../../../src/plugin/operator/console/console.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import type { SettingOptions } from '../../../../src/plugin/settings/schema/setting-options.ts';
import { type Engine, MAIN, openTestDatabase } from '../../../support/database/databases.ts';
import { FROM_OUR_PAGE } from '../../../support/http/foreign-forms.ts';
import { closeServer, listenOnLoopback } from '../../../support/http/loopback-server.ts';
import { captureLog } from '../../../support/log-lines.ts';

export const PASSWORD = 'correct horse: battery staple';
/** Of `PASSWORD`, with the least figures that are taken: a sign-in costs a sixth of what `hash-password` asks for. */
export const PASSWORD_HASH =
  'scrypt:14:8:1:c2FsdC1vZi1hLXRlc3Qtb2:i5GluzxlKhOonj1sOmDPeGUXNV2yLRCtLF9LJx0UMSU';
export const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

export interface ConsoleHarness {
  readonly database: Database;
  readonly clock: SimulatedClock;
  readonly url: string;
  readonly logLines: readonly string[];
  /** Redirects are not followed. */
  visit(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Follows the redirect to the page with the answer, and no other. */
  submit(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** Through the form, as a browser does. Returns the header that shows it. */
  signIn(password?: string, username?: string): Promise<{ cookie: string }>;
  /** The page as whoever is signed in sees it. */
  read(path: string): Promise<string>;
  clear(): Promise<void>;
  closeDatabase(): Promise<void>;
  stop(): Promise<void>;
}

export interface HarnessOptions {
  settings?: SettingOptions;
  /** Where the host application mounts the plugin. */
  mount?: string;
  trustProxy?: boolean;
  engine?: Engine;
  /** What the checks have found. */
  findings?: Finding[];
  /** Another harness's, as another process has it. */
  shared?: Pick<ConsoleHarness, 'database' | 'clock'>;
}

export async function startConsole(options: HarnessOptions = {}): Promise<ConsoleHarness> {
  const { settings, mount = '/', trustProxy = false, engine = MAIN, shared } = options;
  const own = shared ? undefined : await openTestDatabase(engine);
  const database = shared?.database ?? own?.database;
  if (!database) throw new Error('There is no database.');
  const clock = shared?.clock ?? createSimulatedClock(NOW);
  const { logger: unguarded, lines } = captureLog();
  const logger = guardLogger(unguarded);
  const config = loadConfig(
    {
      retryMode: 'advisory',
      stripeSecretKey: 'sk_test_1',
      stripeWebhookSecret: 'whsec_1',
      consolePassword: PASSWORD,
      ...settings,
    },
    {},
  );
  const retry = () => {
    throw new ConfigError(['The test reads nothing at Stripe.']);
  };
  const operations = { database, clock, logger, enqueue: async () => {}, retry, config: () => config };
  const checks = async () => options.findings ?? [];
  const app = express();
  if (trustProxy) app.set('trust proxy', 1);
  app.use(
    mount,
    createConsole({
      config,
      database,
      clock,
      logger,
      operations,
      checks,
    }),
  );
  const guesses = createGuessTable(database, 'payment_retry');
  const limitGuesses = createGuessLimit({ guesses, clock, logger });
  if (config.operatorTokens)
    app.use(createApi({ tokens: config.operatorTokens, operations, checks, limitGuesses }));
  app.use((_request, response) => void response.status(404).json({ nothing: 'here' }));
  app.use(answerErrors(logger));
  const server = createTransport(app, {}, silentLogger);
  const url = await listenOnLoopback(server);

  const visit: ConsoleHarness['visit'] = (path, headers = {}) =>
    fetch(`${url}${path}`, { headers, redirect: 'manual' });
  const submit: ConsoleHarness['submit'] = async (path, fields, headers = FROM_OUR_PAGE) => {
    const body = new URLSearchParams(fields);
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body, redirect: 'manual' });
    const page = new URL(answer.headers.get('location') ?? '', `${url}${path}`);
    return page.searchParams.has('answer') ? visit(page.pathname + page.search, headers) : answer;
  };
  const root = `${mount === '/' ? '' : mount}/console`;
  const signIn: ConsoleHarness['signIn'] = async (password = PASSWORD, username = 'operator') => {
    const token = tokenIn(await (await visit(`${root}/login`)).text());
    const answer = await submit(`${root}/login`, { token, username, password });
    return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  return {
    database,
    clock,
    url,
    logLines: lines,
    visit,
    submit,
    signIn,
    read: async (path) => (await visit(path, await signIn())).text(),
    clear: async () => own?.clear(),
    closeDatabase: async () => own?.database.close(),
    stop: async () => {
      await closeServer(server);
      await own?.close().catch(() => undefined);
    },
  };
}

export function tokenIn(page: string): string {
  return /name="token" value="([^"]*)"/.exec(page)?.[1] ?? '';
}
