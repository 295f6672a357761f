/** The retry service that runs in this process: each account is an organization of its own there. */

import type { ServiceAddress } from '../clients/service-client.ts';
import type { Clock } from '../clock.ts';
import { OWN_ACCOUNT } from '../config/account.ts';
import type { AccessOf, AccountAccess, Accounts } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { tryToListen } from '../http/http-server.ts';
import { publicAddress } from '../http/own-paths.ts';
import type { Logger } from '../logger.ts';
import type { Organization } from '../service/keys/organizations.ts';
import { createRetryService, type RetryService } from '../service/service.ts';
import type { Database } from '../store/engine/database.ts';
import { listActiveAccounts } from '../store/tables/stored-accounts.ts';
import type { Measures } from '../telemetry/measures.ts';

interface EmbeddedDeps {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly measures: Measures;
}

/** The name that the own account's records have had since before there were others. */
const OWN_ORGANIZATION = 'default';

/** Throws LISTEN_FAILED if the service's port is not to be had, while nothing is open yet that would have to be closed. */
export async function tryServicePort({ host, service }: Pick<Config, 'host' | 'service'>): Promise<void> {
  if (service.kind === 'embedded') await tryToListen({ host, port: service.port, setting: 'SERVICE_PORT' });
}

/** Undefined if the service is a remote one. */
export async function startEmbeddedService(deps: EmbeddedDeps): Promise<RetryService | undefined> {
  const { config, database, clock, logger, measures } = deps;
  if (config.service.kind !== 'embedded') return undefined;
  const service = await createRetryService({
    database,
    clock,
    logger,
    measures,
    host: config.host,
    port: config.service.port,
    trustProxy: config.trustProxy ?? false,
    organizations: await listOrganizations(deps),
    findOrganization: (name) => findOrganization(deps, name),
    defaultTimeZone: config.timeZone,
    keysPage: config.signIn && { url: publicAddress(config.publicUrl, 'console/keys').href },
    holdoutPercent: config.timingHoldoutPercent,
    attemptLimits: config.attemptLimits,
    reminderDays: config.reminderDays,
    historyDays: config.retention.rows,
  });
  await service.start();
  return service;
}

/** Those of the settings, and those that came by "*" before this start. */
async function listOrganizations(deps: EmbeddedDeps): Promise<Organization[]> {
  const { accounts, database, config } = deps;
  const names = new Set([
    ...accounts.listed.map(({ account }) => account),
    ...(await listActiveAccounts(database)),
  ]);
  return [...names].flatMap((account) => {
    const access = accounts.find(account);
    return access ? [toOrganization(config, access)] : [];
  });
}

function findOrganization({ accounts, config }: EmbeddedDeps, name: string): Organization | undefined {
  const access = accounts.find(name === OWN_ORGANIZATION ? OWN_ACCOUNT : name);
  return access && toOrganization(config, access);
}

export function toOrganization(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  access: AccountAccess,
): Organization {
  const { account, service, callback } = access;
  const isOwn = account === OWN_ACCOUNT;
  return {
    name: isOwn ? OWN_ORGANIZATION : account,
    apiKeys: [service.apiKey],
    callback: {
      baseUrl: isOwn ? publicUrl.href : publicAddress(publicUrl, `accounts/${account}`).href,
      token: callback.tokens[0] ?? '',
    },
  };
}

/** Where an account's records are delivered. Its jobs are not run once it is not served any more. */
export async function serviceAddress(
  accessOf: AccessOf,
  service: RetryService | undefined,
  account: string,
): Promise<ServiceAddress> {
  const access = await accessOf(account);
  const baseUrl = access?.service.baseUrl ?? (service && new URL(service.url));
  if (!access || !baseUrl) throw new Error(`There is no retry service for account ${account}.`);
  return { baseUrl, apiKey: access.service.apiKey };
}
