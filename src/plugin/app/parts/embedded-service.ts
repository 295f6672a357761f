/** The retry service that runs in this process, and is asked there: each account is an organization of its own. */
import express, { type Express } from 'express';
import type { Logger } from '../../../core/base/logger.ts';
import { createGuessTable } from '../../../core/database/guess-table.ts';
import type { Measures } from '../../../core/telemetry/measures.ts';
import { createGuessLimit } from '../../../core/web/guess-limit.ts';
import { answerErrors, answerNotFound } from '../../../core/web/http-errors.ts';
import { tryToListen } from '../../../core/web/http-server.ts';
import { createInProcessFetch, type Fetch, IN_PROCESS_URL } from '../../../core/web/in-process-fetch.ts';
import type { Organization } from '../../../service/keys/organizations.ts';
import { createRetryService } from '../../../service/service.ts';
import type { ServiceAddress } from '../../clients/service-client.ts';
import { describeAcknowledgment } from '../../operator/text/describe-acknowledgment.ts';
import { type CallbackDeps, createCallbackSource } from '../../retry/instructions/callback.ts';
import { createInstructionRouter, type ReceiverDeps } from '../../retry/instructions/receive-instruction.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { AccessOf, AccountAccess, Accounts } from '../../settings/accounts.ts';
import type { Config } from '../../settings/config.ts';
import { listActiveAccounts } from '../../store/tables/stored-accounts.ts';

type CallbackAppDeps = Omit<CallbackDeps & ReceiverDeps, 'describe' | 'limitGuesses' | 'serviceKnows'> & {
  readonly logger: Logger;
};

interface EmbeddedDeps extends CallbackAppDeps {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly measures: Measures;
}

export type EmbeddedService = NonNullable<Awaited<ReturnType<typeof startEmbeddedService>>>;

/** The name that the own account's records have had since before there were others. */
const OWN_ORGANIZATION = 'default';

/** Throws LISTEN_FAILED if a port that was set is not to be had, while nothing is open yet that would have to be closed. */
export async function tryServicePort({ host, service }: Pick<Config, 'host' | 'service'>): Promise<void> {
  if (service.kind !== 'embedded' || service.port === undefined) return;
  await tryToListen({ host, port: service.port, names: service.names });
}

/** Undefined if the service is a remote one. */
export async function startEmbeddedService(deps: EmbeddedDeps) {
  const { config, accounts, database, clock, logger, measures } = deps;
  if (config.service.kind !== 'embedded') return undefined;
  const fetchCallback = createInProcessFetch(createCallbackApp(deps));
  const toOrganization = (access: AccountAccess) => organizationOf(access, fetchCallback);
  const service = await createRetryService({
    database,
    clock,
    logger,
    measures,
    host: config.host,
    port: config.service.port,
    trustProxy: config.trustProxy ?? false,
    organizations: (await listServed(deps)).map(toOrganization),
    findOrganization: (name) => {
      const access = accounts.find(name === OWN_ORGANIZATION ? OWN_ACCOUNT : name);
      return access && toOrganization(access);
    },
    defaultTimeZone: config.timeZone,
    holdoutPercent: config.experiment?.against === 'schedule' ? config.experiment.percent : 0,
    attemptLimits: config.attemptLimits,
    reminderDays: config.reminderDays,
    historyDays: config.retention.rows,
  });
  await service.start();
  return {
    service,
    /** Asks it in this process, whether it listens or not. */
    fetch: createInProcessFetch(service.router),
    /** Makes an account an organization of the service. Safe to repeat. */
    addAccount: (access: AccountAccess) => service.addOrganization(toOrganization(access)),
    stop: service.stop,
  };
}

/** The app through which the embedded service delivers its instructions, independent of `PUBLIC_URL` and any proxy. */
function createCallbackApp(deps: CallbackAppDeps): Express {
  const guesses = createGuessTable(deps.database, 'payment_retry');
  const limitGuesses = createGuessLimit({ ...deps, guesses }, 'own token');
  const app = express();
  app.disable('x-powered-by');
  const own = { describe: describeAcknowledgment, serviceKnows: () => true };
  app.use(createInstructionRouter({ ...deps, limitGuesses }, createCallbackSource({ ...deps, ...own })));
  app.use(answerNotFound, answerErrors(deps.logger));
  return app;
}

/** Those of the settings, and those that came by "*" before this start. */
async function listServed({ accounts, database }: EmbeddedDeps): Promise<AccountAccess[]> {
  const names = new Set([
    ...accounts.listed.map(({ account }) => account),
    ...(await listActiveAccounts(database)),
  ]);
  return [...names].flatMap((account) => accounts.find(account) ?? []);
}

function organizationOf({ account, service, callback }: AccountAccess, fetch: Fetch): Organization {
  const path = account === OWN_ACCOUNT ? '' : `/accounts/${account}`;
  return {
    name: account === OWN_ACCOUNT ? OWN_ORGANIZATION : account,
    apiKeys: [service.apiKey],
    callback: {
      baseUrl: `${IN_PROCESS_URL}${path}`,
      receiver: `loopback${path}`,
      token: callback.tokens[0] ?? '',
      fetch,
    },
  };
}

/** Where an account's records are delivered. Its jobs are not run once it is not served any more. */
export async function serviceAddress(
  accessOf: AccessOf,
  embedded: Pick<EmbeddedService, 'fetch'> | undefined,
  account: string,
): Promise<ServiceAddress> {
  const access = await accessOf(account);
  if (access?.service.baseUrl) return { ...access.service, baseUrl: access.service.baseUrl };
  if (!access || !embedded) throw new Error(`There is no retry service for account ${account}.`);
  return { baseUrl: new URL(IN_PROCESS_URL), apiKey: access.service.apiKey, fetch: embedded.fetch };
}
