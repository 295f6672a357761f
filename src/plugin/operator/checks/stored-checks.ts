/** Checks of the database, its pending work, and received events. */
import type { DateTime } from 'luxon';
import { messageWithCause } from '../../../core/base/errors.ts';
import {
  checkDatabase,
  type Database,
  describeLink,
  describeServer,
  LONG_LOG_BYTES,
  measureLog,
} from '../../../core/database/database.ts';
import type { MigrationState } from '../../../core/database/migrate.ts';
import { listStalledQueues } from '../../../core/database/queued-jobs.ts';
import { nameMode, OWN_ACCOUNT } from '../../settings/account.ts';
import type { Config } from '../../settings/config.ts';
import { KNOWS_LITTLE } from '../../settings/forwarding.ts';
import { isWithoutCallback } from '../../settings/service-settings.ts';
import { compareMigrations } from '../../store/migrate-plugin.ts';
import { findLastReceived } from '../../store/reports/last-received.ts';
import { readObserved } from '../../store/reports/observed.ts';
import { countAccessRefused } from '../../store/reports/unsent-emails.ts';
import {
  listSealedCredentials,
  type SealedCredentials,
  unsealCredentials,
} from '../../store/tables/account-settings.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import { listWithoutSignal, type WithoutSignal } from '../../store/tables/retry/signals.ts';
import { listForwarded } from '../../store/tables/sync/untaken.ts';
import { AFTER_OBSERVING, describeObserved } from './describe-observed.ts';
import { type Finding, finding } from './finding.ts';

export interface StoredDeps {
  readonly config: Pick<
    Config,
    'forward' | 'mode' | 'retrySignal' | 'service' | 'callback' | 'livemode' | 'accountSettingsKeys'
  >;
  readonly database: Database;
}

/** Checks the whole installation and its own account. */
export async function checkStored(deps: StoredDeps): Promise<Finding[]> {
  const { database, config } = deps;
  try {
    await checkDatabase(database);
    const server = await checkServer(database);
    const migrations = await compareMigrations(database);
    const schema = describeMigrations(migrations);
    // Tables that are still to come cannot be asked.
    if (migrations.pending.length > 0) return [...server, schema];
    const sealed = await listSealedCredentials(database);
    return [
      ...server,
      schema,
      await checkQueues(database),
      ...(config.mode === 'observe'
        ? [
            finding(
              'observe_mode',
              'ok',
              `${describeObserved(await readObserved(database))}; ${AFTER_OBSERVING}`,
            ),
          ]
        : []),
      ...(await checkAccount(deps, OWN_ACCOUNT)),
      ...sealed.flatMap((one) => checkCredentials(config, one)),
    ];
  } catch (error) {
    return [finding('database', 'problem', messageWithCause(error))];
  }
}

/** Checks one account: the findings for a merchant who has only the app. */
export async function checkAccount({ config, database }: StoredDeps, account: string): Promise<Finding[]> {
  const heard = await findLastReceived(database, account);
  const refused = (await countAccessRefused(database)).filter((one) => one.account === account);
  const pause = await findPause(database, account);
  const signal = (await listWithoutSignal(database)).find((one) => one.account === account);
  const learns = await listForwarded(database, config, account);
  const isHeard =
    heard.callbackAt !== null || config.service.kind === 'embedded' || isWithoutCallback(config.callback);
  return [
    finding('stripe_access', refused.length > 0 ? 'problem' : 'ok'),
    ...(config.retrySignal === 'off' ? [] : [checkSignal(signal)]),
    finding('events', heard.eventAt ? 'ok' : 'waiting', iso(heard.eventAt)),
    finding('backfill', heard.backfilledAt ? 'ok' : 'warning', iso(heard.backfilledAt)),
    ...(config.service.kind === 'embedded'
      ? []
      : [finding('service_learns', learns.length > 0 ? 'ok' : 'warning', learns.join(', ') || KNOWS_LITTLE)]),
    finding('callbacks', isHeard ? 'ok' : 'waiting', iso(heard.callbackAt)),
    finding('effects', pause ? 'warning' : 'ok', pause?.reason),
  ];
}

/** Reports that the signal is missing; everything continues by the service's own times. */
function checkSignal(without: WithoutSignal | undefined): Finding {
  if (without === undefined) return finding('retry_signal', 'ok');
  const { reason } = without;
  return finding('retry_signal', 'warning', reason?.code === 'signal_unavailable' ? reason.why : '');
}

/** Nothing where the account has none of its own. */
export async function checkAccountCredentials(
  { config, database }: StoredDeps,
  account: string,
): Promise<Finding[]> {
  const mode = nameMode(config.livemode);
  const sealed = await listSealedCredentials(database);
  return sealed
    .filter((one) => one.account === account && one.mode === mode)
    .flatMap((one) => checkCredentials(config, one));
}

async function checkServer(database: Database): Promise<Finding[]> {
  const { version, bytes, isWritable } = await describeServer(database);
  const what = `${database.kind === 'postgres' ? 'PostgreSQL' : 'embedded, PostgreSQL'} ${version}, ${megabytes(bytes)} MB`;
  const server = isWritable
    ? finding('database', 'ok', what)
    : finding('database', 'problem', `${what}: it takes no writes`);
  const logs = (await measureLog(database)).map((size) =>
    finding('database_log', size > LONG_LOG_BYTES ? 'warning' : 'ok', `${megabytes(size)} MB`),
  );
  const link = await describeLink(database);
  if (link === 'none') return [server, ...logs];
  return [server, finding('database_link', link === 'plain' ? 'warning' : 'ok', link)];
}

function describeMigrations({ pending, unknown }: MigrationState): Finding {
  if (pending.length > 0)
    return finding('migrations', 'problem', `to be applied: ${pending.join(', ')}`, 'migrate');
  if (unknown.length > 0)
    return finding('migrations', 'problem', `of a newer version: ${unknown.join(', ')}`);
  return finding('migrations', 'ok');
}

async function checkQueues(database: Database): Promise<Finding> {
  const stalled = await listStalledQueues(database);
  if (stalled.length === 0) return finding('queues', 'ok');
  const lines = stalled.map(
    ({ name, waiting, dueSince, error }) =>
      `${name} (${waiting} waiting, due since ${dueSince.toISO()}${error === null ? '' : `: ${error}`})`,
  );
  return finding('queues', 'problem', lines.join(', '));
}

function checkCredentials(
  { accountSettingsKeys }: StoredDeps['config'],
  sealed: SealedCredentials,
): Finding[] {
  const opens = unsealCredentials(accountSettingsKeys, sealed, sealed.credentials) !== undefined;
  return opens ? [] : [finding('account_credentials', 'problem', `${sealed.account} (${sealed.mode} mode)`)];
}

function megabytes(bytes: number): string {
  return Math.ceil(bytes / 1_000_000).toLocaleString('en');
}

function iso(at: DateTime<true> | null): string {
  return at?.toISO() ?? '';
}
