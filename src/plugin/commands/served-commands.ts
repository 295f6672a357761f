/** Commands that work beside a running process, on either database. */
import { backfill } from './backfill-command.ts';
import { backup } from './backup-command.ts';
import { callbacks } from './callbacks-command.ts';
import { checks } from './checks-command.ts';
import { connect, disconnect } from './connection-commands.ts';
import { keys } from './keys-command.ts';
import { list } from './list-command.ts';
import { operateBy } from './operate-command.ts';
import type { ServedCommand } from './served-command.ts';
import { status } from './status-command.ts';
import { syncActions } from './sync-actions-command.ts';

const invoice = ([id]: readonly string[]) => ({ invoice: id });

export const SERVED_COMMANDS = {
  backup,
  backfill,
  status,
  list,
  replay: operateBy('replay'),
  dismiss: operateBy('dismiss', (records) => ({ records })),
  handback: operateBy('handBack', (invoices) => (invoices.length > 0 ? { invoices } : {})),
  stop: operateBy('stop', invoice),
  release: operateBy('release', invoice),
  retry: operateBy('retryNow', invoice),
  postpone: operateBy('postpone', invoice),
  mail: operateBy('sendMailAgain', invoice),
  forget: operateBy('forget', ([customer]) => ({ customer })),
  pause: operateBy('pause'),
  resume: operateBy('resume'),
  'sync-actions': syncActions,
  keys,
  callbacks,
  connect,
  disconnect,
  checks,
} as const satisfies Readonly<Record<string, ServedCommand>>;

export type ServedName = keyof typeof SERVED_COMMANDS;

export function isServedName(name: string): name is ServedName {
  return Object.hasOwn(SERVED_COMMANDS, name);
}
