/** The app's backend over a real database, and requests that are signed as Stripe signs them. */
import { createHash, randomUUID } from 'node:crypto';
import express from 'express';
import helmet from 'helmet';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { z } from 'zod';
import { createSimulatedClock, type SimulatedClock } from '../../../../src/core/base/clock.ts';
import { ConfigError } from '../../../../src/core/base/errors.ts';
import type { Database } from '../../../../src/core/database/database.ts';
import { createGuessTable } from '../../../../src/core/database/guess-table.ts';
import { createGuessLimit } from '../../../../src/core/web/guess-limit.ts';
import { answerErrors } from '../../../../src/core/web/http-errors.ts';
import { createTransport } from '../../../../src/core/web/http-server.ts';
import { createAdmission } from '../../../../src/plugin/app/admit-account.ts';
import { createStripeClient } from '../../../../src/plugin/clients/stripe-client.ts';
import { checkStored } from '../../../../src/plugin/operator/checks/stored-checks.ts';
import { createStripeApp } from '../../../../src/plugin/operator/stripe-app/app-router.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import { createAccounts } from '../../../../src/plugin/settings/accounts.ts';
import { type Config, loadConfig } from '../../../../src/plugin/settings/config.ts';
import type { SettingOptions } from '../../../../src/plugin/settings/schema/setting-options.ts';
import { MAIN, openTestDatabase } from '../../../support/database/databases.ts';
import { closeServer, listenOnLoopback } from '../../../support/http/loopback-server.ts';
import { captureLog } from '../../../support/log-lines.ts';

export const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
export const SECRET = 'absec_current';
export const OLD_SECRET = 'absec_old';
export const OWN_ID = 'acct_own1';
export const CONNECTED_ID = 'acct_shop1';

export const ADMIN = [{ id: 'admin', name: 'Administrator', type: 'builtIn' }];
const signer = new Stripe('sk_test_1');

export interface Fields {
  request?: string | undefined;
  mode?: string | undefined;
  parameters?: string | undefined;
  parameters_sha256?: string | undefined;
  nonce?: string | undefined;
  stripe_roles?: unknown;
  user_id?: string | undefined;
  account_id?: string | undefined;
  [other: string]: unknown;
}

/** As a view sends it. A field that is given as undefined is left out; `parameters` are beside what is signed. */
export function bodyOf({ parameters = '{"id":"in_1"}', ...fields }: Fields = {}): string {
  const signed = JSON.stringify({
    request: 'invoice',
    mode: 'test',
    parameters_sha256: createHash('sha256').update(parameters).digest('hex'),
    nonce: randomUUID(),
    stripe_roles: ADMIN,
    user_id: 'usr_1',
    account_id: OWN_ID,
    ...fields,
  });
  return JSON.stringify({ signed, parameters });
}

const sent = z.object({ signed: z.string() });

/** The signature that goes with a body. */
export function sign(body: string, at = NOW, secret = SECRET): string {
  return signer.webhooks.generateTestHeaderString({
    payload: sent.parse(JSON.parse(body)).signed,
    secret,
    timestamp: Math.floor(at.toSeconds()),
  });
}

const answered = z.object({ answer: z.record(z.string(), z.unknown()).default({}) });

/** What asks Stripe is shown end to end. */
const noRetries = () => {
  throw new ConfigError(['There is no Stripe here.']);
};

export interface AppHarness {
  readonly config: Config;
  readonly database: Database;
  readonly clock: SimulatedClock;
  readonly url: string;
  readonly logLines: readonly string[];
  /** A body and its signature, as they arrive. */
  post(body: string, signature?: string): Promise<Response>;
  /** Signed now. */
  ask(fields?: Fields): Promise<Response>;
  answer(request: string, parameters?: object, fields?: Fields): Promise<Record<string, unknown>>;
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** `shared`: the database of another one, which closes it. */
export async function startApp(
  settings: SettingOptions = {},
  shared?: Pick<AppHarness, 'database' | 'clear'>,
): Promise<AppHarness> {
  const own = shared ? undefined : await openTestDatabase(MAIN);
  const { database, clear } = shared ?? own ?? {};
  if (!database || !clear) throw new Error('There is no database.');
  const clock = createSimulatedClock(NOW);
  const { logger, lines } = captureLog();
  const config = loadConfig(
    {
      retryMode: 'advisory',
      stripeSecretKey: 'sk_test_1',
      stripeWebhookSecret: 'whsec_1',
      stripeAppSecret: `${SECRET},${OLD_SECRET}`,
      connectedAccounts: JSON.stringify({ [CONNECTED_ID]: {} }),
      ...settings,
    },
    {},
  );
  const accounts = createAccounts(config);
  const enqueue = async () => undefined;
  const app = express();
  // As the stand-alone server has it.
  app.use(helmet());
  app.use(
    createStripeApp({
      config,
      database,
      clock,
      logger,
      stripe: createStripeClient(config),
      limitGuesses: createGuessLimit({ clock, logger, guesses: createGuessTable(database, 'payment_retry') }),
      accounts,
      checks: () => checkStored({ config, database }),
      operations: { database, clock, logger, enqueue, retry: noRetries, config: () => config },
      // Each time as at the first: tests empty the tables.
      admit: (account) =>
        createAdmission({ config, accounts, database, clock, enqueue, embedded: undefined })(account),
      idOf: async (account) => (account === OWN_ACCOUNT ? OWN_ID : account),
    }),
    answerErrors(logger),
  );
  const server = createTransport(app, {}, logger);
  const url = await listenOnLoopback(server);
  const post: AppHarness['post'] = (body, signature) =>
    fetch(`${url}/app/request`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(signature ? { 'stripe-signature': signature } : {}),
      },
      body,
    });
  const ask: AppHarness['ask'] = (fields) => {
    const body = bodyOf(fields);
    return post(body, sign(body, clock.now()));
  };
  return {
    config,
    database,
    clock,
    url,
    logLines: lines,
    post,
    ask,
    answer: async (request, parameters = {}, fields = {}) => {
      const response = await ask({ request, parameters: JSON.stringify(parameters), ...fields });
      const body = answered.parse(await response.json());
      if (!response.ok) throw new Error(`${request} was answered with ${response.status}`);
      return body.answer;
    },
    clear,
    stop: async () => {
      await closeServer(server);
      await own?.close();
    },
  };
}
