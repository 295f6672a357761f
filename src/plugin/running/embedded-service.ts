/** The retry service that runs in this process: each account is an organization of its own there. */

import type { ServiceAddress } from '../../clients/service-client.ts';
import { OWN_ACCOUNT } from '../../config/account.ts';
import type { AccessOf, AccountAccess, Accounts } from '../../config/accounts.ts';
import type { Config } from '../../config/config.ts';
import { tryToListen } from '../../http/http-server.ts';
import { publicAddress } from '../../http/own-paths.ts';
import type { Organization } from '../../service/keys/organizations.ts';
import { createRetryService, type RetryService } from '../../service/service.ts';
import { listActiveAccounts } from '../../store/tables/stored-accounts.ts';
import type { Measures } from '../../telemetry/measures.ts';
import { type ListenerDeps, listenForCallbacks } from './listen-for-callbacks.ts';

interface EmbeddedDeps extends ListenerDeps {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly measures: Measures;
}

export interface EmbeddedService {
  readonly service: RetryService;
  /** Makes an account an organization of the service. Safe to repeat. */
  addAccount(access: AccountAccess): Promise<void>;
  stop(): Promise<void>;
}

/** The name that the own account's records have had since before there were others. */
const OWN_ORGANIZATION = 'default';

/** Throws LISTEN_FAILED if the service's port is not to be had, while nothing is open yet that would have to be closed. */
export async function tryServicePort({ host, service }: Pick<Config, 'host' | 'service'>): Promise<void> {
  if (service.kind === 'embedded') await tryToListen({ host, port: service.port, setting: 'SERVICE_PORT' });
}

/** Undefined if the service is a remote one. */
export async function startEmbeddedService(deps: EmbeddedDeps): Promise<EmbeddedService | undefined> {
  if (deps.config.service.kind !== 'embedded') return undefined;
  const listener = await listenForCallbacks(deps);
  const toOrganization = (access: AccountAccess) => organizationOf(access, listener.url);
  try {
    const service = await createService(deps, deps.config.service, toOrganization);
    await service.start();
    return {
      service,
      addAccount: (access) => service.addOrganization(toOrganization(access)),
      stop: async () => {
        try {
          await service.stop();
        } finally {
          await listener.stop();
        }
      },
    };
  } catch (error) {
    await listener.stop();
    throw error;
  }
}

async function createService(
  deps: EmbeddedDeps,
  { port }: { port: number },
  toOrganization: (access: AccountAccess) => Organization,
): Promise<RetryService> {
  const { config, accounts, database, clock, logger, measures } = deps;
  return createRetryService({
    database,
    clock,
    logger,
    measures,
    host: config.host,
    port,
    trustProxy: config.trustProxy ?? false,
    organizations: (await listServed(deps)).map(toOrganization),
    findOrganization: (name) => {
      const access = accounts.find(name === OWN_ORGANIZATION ? OWN_ACCOUNT : name);
      return access && toOrganization(access);
    },
    defaultTimeZone: config.timeZone,
    keysPage: config.signIn && { url: publicAddress(config.publicUrl, 'console/keys').href },
    holdoutPercent: config.timingHoldoutPercent,
    attemptLimits: config.attemptLimits,
    reminderDays: config.reminderDays,
    historyDays: config.retention.rows,
  });
}

/** Those of the settings, and those that came by "*" before this start. */
async function listServed({ accounts, database }: EmbeddedDeps): Promise<AccountAccess[]> {
  const names = new Set([
    ...accounts.listed.map(({ account }) => account),
    ...(await listActiveAccounts(database)),
  ]);
  return [...names].flatMap((account) => accounts.find(account) ?? []);
}

function organizationOf({ account, service, callback }: AccountAccess, url: string): Organization {
  const path = account === OWN_ACCOUNT ? '' : `/accounts/${account}`;
  return {
    name: account === OWN_ACCOUNT ? OWN_ORGANIZATION : account,
    apiKeys: [service.apiKey],
    callback: { baseUrl: `${url}${path}`, receiver: `loopback${path}`, token: callback.tokens[0] ?? '' },
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
