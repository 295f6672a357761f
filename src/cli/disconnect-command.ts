/** Leaving: nothing of ours happens at Stripe any more, Stripe collects what we had taken over, and what stays is named. */

import { resolve } from 'node:path';
import Stripe from 'stripe';
import { watchInterruption } from '../core/base/command-options.ts';
import { PluginError } from '../core/base/errors.ts';
import type { DatabaseLocation } from '../core/database/database.ts';
import { listSchemas } from '../core/database/schemas.ts';
import { removePortals } from '../plugin/operator/checks/portal-configuration.ts';
import { ENDPOINTS } from '../plugin/operator/checks/webhook-endpoint.ts';
import type { Write } from '../plugin/operator/text/command-result.ts';
import { loadDatabaseLocation } from '../plugin/settings/config.ts';
import { SETTINGS } from '../plugin/settings/schema/settings.ts';
import { openSite, type Site } from './connect-command.ts';
import { runOnStore, systemTerminal, type Terminal } from './process/run-on-store.ts';
import { readEnvFile } from './setup/env-file.ts';

/** Safe to repeat: it goes on where it stopped. Exit code 1 if something is left to do. */
export async function runDisconnect(
  options: unknown,
  terminal: Terminal = systemTerminal(),
): Promise<number> {
  const site = openSite();
  const write: Write = (text) => terminal.output.write(text);
  const interrupted = terminal.interrupted();
  const isInterrupted = watchInterruption(interrupted);
  const isReady = await leaveDatabase(options, { ...terminal, interrupted: () => interrupted }).catch(
    (error: unknown) => {
      // A process that is asked to stop ends the connection.
      if (isInterrupted()) return false;
      throw error;
    },
  );
  if (isReady && !isInterrupted()) {
    await removeEndpoints(site, { write, isOver: isInterrupted });
    if (!isInterrupted()) await switchOffPortals(site, write);
    if (!isInterrupted()) {
      write(`Disconnected: nothing is charged, emailed or changed, and Stripe sends nothing more.\n`);
      for (const line of listRemains(loadDatabaseLocation({}, process.env))) write(`${line}\n`);
      return 0;
    }
  }
  write(
    isInterrupted()
      ? 'Stopped. The steps above are done, and payments and emails stay paused. `disconnect` goes on from here; `connect` takes it back.\n'
      : 'The webhook endpoint stays, and payments and emails stay paused. Settle the points above and run `disconnect` again; `connect` takes it back.\n',
  );
  return 1;
}

async function leaveDatabase(options: unknown, terminal: Terminal): Promise<boolean> {
  try {
    return (await runOnStore('disconnect', [], options, terminal)) === 0;
  } catch (error) {
    if (!(error instanceof PluginError && error.code === 'NOT_FOUND')) throw error;
    terminal.output.write(`${error.message} Nothing was planned or taken over from here.\n`);
    return true;
  }
}

async function removeEndpoints(
  { stripe, plans, others }: Site,
  { write, isOver }: { write: Write; isOver: () => boolean },
): Promise<void> {
  for (const plan of [...plans, ...others]) {
    const { find, remove } = ENDPOINTS[plan.form];
    for (const { id } of await find(stripe, plan)) {
      if (isOver()) return;
      await remove(stripe, id);
      write(`The webhook endpoint ${id} was removed.\n`);
    }
  }
}

/** Stripe deletes none; `connect` switches them on again. */
async function switchOffPortals({ stripe }: Site, write: Write): Promise<void> {
  try {
    for (const id of await removePortals(stripe)) write(`${id} of the billing portal was switched off.\n`);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw error;
    write(`Whether a billing portal configuration of ours stays is not known: ${error.message}\n`);
  }
}

/** Remaining things, each with the way to remove it. */
function listRemains(location: DatabaseLocation): string[] {
  return [
    'What stays, and what removes it:',
    '  The process, which still receives and reads: stop it.',
    ...(location.kind === 'postgres'
      ? [
          `  Its tables: psql "$DATABASE_URL" -c 'drop schema if exists ${listSchemas(location.schema).join(', ')} cascade'`,
        ]
      : [`  Its database: rm -r ${quote(resolve(location.directory))}`]),
    '  The API key: delete or roll it at https://dashboard.stripe.com/apikeys',
    ...describeSettingsFile('.env'),
  ];
}

/** Nothing where settings come from elsewhere. */
function describeSettingsFile(file: string): string[] {
  const names = Object.keys(readEnvFile(file));
  const ours = names.filter((name) => Object.hasOwn(SETTINGS, name.replace(/_FILE$/, '')));
  if (ours.length === 0) return [];
  const command =
    ours.length === names.length ? `rm ${file}` : `sed -i.before -E '/^(${ours.join('|')})=/d' ${file}`;
  return [`  ${ours.length} line(s) of ${file} (${ours.join(', ')}): ${command}`];
}

/** Quotes a path for a shell. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
