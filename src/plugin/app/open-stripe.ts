import type { Clock } from '../../core/base/clock.ts';
import { ConfigError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import type { openDatabase } from '../../core/database/open-database.ts';
import { createMeasures, type Measures } from '../../core/telemetry/measures.ts';
import type { Fetch } from '../../core/web/in-process-fetch.ts';
import { createLimitedHttp, createMeasuredHttp, type HttpClient } from '../clients/http/measured-http.ts';
import { createRequestBudget } from '../clients/request-budget.ts';
import type { BeforeWrite } from '../clients/stripe-changes.ts';
import { createStripeClient, type StripeClient } from '../clients/stripe-client.ts';
import type { Config } from '../settings/config.ts';
import { PLATFORM_PAYMENTS_PER_SECOND } from '../settings/read-limits.ts';
import { endpointPace } from '../settings/stripe-settings.ts';
import { slowDown, takeTokens } from '../store/tables/request-budgets.ts';
import { refuseWhilePaused } from './pause-watch.ts';

/** Transports out of the process, in place of the usual ones: their owner decides the order of calls. */
export interface Transports {
  readonly openDatabase: typeof openDatabase;
  readonly stripe: HttpClient;
  readonly fetch: Fetch;
}

interface StripeOptions {
  readonly measures?: Measures;
  readonly beforeWrite?: BeforeWrite;
  readonly http?: HttpClient;
  /** Gets the `Date` of each answer. */
  readonly hearDate?: (date: string | undefined) => void;
}

/** Rate without the database, where the other processes' calls are unknown: little, rather than nothing. */
const BLIND_TOKENS = 1;

/**
 * Opens a client within the limits that all processes share, which makes no call while payments and emails are paused.
 * `beforeWrite` is for changes made during a pause at a person's request. A simulated clock has no pace.
 */
export function openStripe(
  config: Pick<Config, 'stripe' | 'requestsPerSecond'>,
  { database, clock }: { database: Database; clock: Clock },
  {
    measures = createMeasures(),
    beforeWrite = refuseWhilePaused(database),
    http,
    hearDate,
  }: StripeOptions = {},
): StripeClient {
  const source = {
    take: (request: Parameters<typeof takeTokens>[1]) =>
      takeTokens(database, request).catch(() => BLIND_TOKENS),
    slowDown: (key: string, rate: number) => slowDown(database, key, rate).catch(() => {}),
  };
  const budget = createRequestBudget(source, () => clock.now().toMillis());
  const plain = createMeasuredHttp(measures, http, hearDate);
  const paced = clock.isSimulated ? plain : createLimitedHttp(budget, config.requestsPerSecond, plain);
  const endpointRate = endpointPace(config.requestsPerSecond);
  const awaitPaymentTurn = async (account: string) => {
    if (clock.isSimulated) return;
    await budget.acquire(`${account} payments`, endpointRate, 'payment');
    await budget.acquire('payments of all accounts', PLATFORM_PAYMENTS_PER_SECOND, 'payment');
  };
  return createStripeClient(config, { beforeWrite, awaitPaymentTurn, isPaced: !clock.isSimulated }, paced);
}

/** Said at the start, before any work begins. Throws ConfigError for a key that Stripe does not take. */
export async function tryStripeKey(stripe: Pick<StripeClient, 'tryKey'>, logger: Logger): Promise<void> {
  const trial = await stripe.tryKey();
  if (trial.kind === 'refused')
    throw new ConfigError([
      `STRIPE_SECRET_KEY is not accepted by Stripe (${trial.code}): take the key from https://dashboard.stripe.com/apikeys, of the account and the mode (live or test) that is meant, and see whether it needs STRIPE_CONTEXT`,
    ]);
  if (trial.kind === 'lacking')
    logger.warn(
      { permission: trial.permission },
      'the Stripe key is good but lacks a permission: give it to the restricted key; docs/reference/security.md lists all that are needed',
    );
  if (trial.kind === 'untried')
    logger.warn(
      { reason: trial.reason },
      'the Stripe key could not be tried: going on; what comes in is kept, and calls are repeated',
    );
}
