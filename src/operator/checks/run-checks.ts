/** What a running process can tell of its own installation: each check a code with a state and parameters. */
import type { Config } from '../../config/config.ts';
import { checkDatabase, type Database } from '../../store/engine/database.ts';
import { countAccessRefused } from '../../store/reports/access-refused.ts';
import { findLastReceived } from '../../store/reports/last-received.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';

/** `waiting`: it comes by itself, or has to be set up at the other side. `missing`: not set up here. */
export type CheckState = 'ok' | 'waiting' | 'missing' | 'failed';

export interface Check {
  readonly code: CheckCode;
  readonly state: CheckState;
  readonly parameters: Readonly<Record<string, string | number | boolean | null>>;
}

export type CheckCode =
  | 'settings'
  | 'database'
  | 'stripe_access'
  | 'events'
  | 'backfill'
  | 'retry_service'
  | 'mail'
  | 'effects';

export interface CheckDeps {
  readonly config: Pick<Config, 'mode' | 'livemode' | 'service' | 'mail'>;
  readonly database: Database;
}

/** For one account, in the order in which they are set up. */
export async function runChecks({ config, database }: CheckDeps, account: string): Promise<Check[]> {
  const { mode, livemode = null, service, mail } = config;
  await checkDatabase(database);
  const received = await findLastReceived(database, account);
  const refused = (await countAccessRefused(database)).find((one) => one.account === account);
  const pause = await findPause(database, account);
  const isConnected = received.callbackAt !== null || service.kind === 'embedded';
  return [
    check('settings', 'ok', { mode, livemode }),
    check('database', 'ok', { kind: database.kind }),
    check('stripe_access', refused ? 'failed' : 'ok', {}),
    check('events', received.eventAt ? 'ok' : 'waiting', { at: iso(received.eventAt) }),
    check('backfill', received.backfilledAt ? 'ok' : 'missing', { at: iso(received.backfilledAt) }),
    check('retry_service', isConnected ? 'ok' : 'waiting', {
      kind: service.kind,
      at: iso(received.callbackAt),
    }),
    check('mail', mail ? 'ok' : 'missing', {}),
    check('effects', pause ? 'failed' : 'ok', { note: pause?.reason ?? null }),
  ];
}

function check(code: CheckCode, state: CheckState, parameters: Check['parameters']): Check {
  return { code, state, parameters };
}

function iso(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
