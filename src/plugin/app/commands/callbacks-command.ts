import type { DateTime } from 'luxon';
import { z } from 'zod';
import { UsageError } from '../../../core/base/errors.ts';
import type { Database } from '../../../core/database/database.ts';
import { migrateService } from '../../../service/migrate-service.ts';
import { describeStatusReason } from '../../../service/reasons/status-reason.ts';
import {
  forgetReceivers,
  listSilentReceivers,
  type SilentReceiver,
} from '../../../service/store/callback-receivers.ts';
import {
  askForResending,
  countWaiting,
  listUndelivered,
  type UndeliveredAction,
  type WaitingCount,
} from '../../../service/store/undelivered-actions.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import { print, type StoreCommandRow } from './store-command.ts';

const ACTIONS = ['list', 'resend'];
const callbacksOptions = z.object({ json: z.boolean().default(false) });

/** Exit code 1 if something needs attention: a receiver that does not answer, or an instruction given up. */
export const callbacks: StoreCommandRow = {
  group: 'Operate',
  name: 'queue callbacks [action] [requestIds...]',
  description: 'list undelivered callbacks of the embedded service, or resend them',
  options: [['--json', 'print the list as JSON']],
  environment: 'database',
  examples: ['queue callbacks', 'queue callbacks resend'],
  exitCodes: { 1: 'something needs attention' },
  run: async (context, args, options) => {
    const { json } = callbacksOptions.parse(options);
    refuseUnknown(args);
    return context.withStore(async ({ database, clock }) => {
      await migrateService(database);
      return print(context, await reportCallbacks(database, args, { json, now: clock.now() }));
    });
  },
};

/** Throws before anything is opened. */
function refuseUnknown([action = 'list']: readonly string[]): void {
  if (!ACTIONS.includes(action))
    throw new UsageError([`There is no "queue callbacks ${action}"; there are: ${ACTIONS.join(', ')}.`]);
}

export async function reportCallbacks(
  database: Database,
  args: readonly string[],
  { json, now }: { json: boolean; now: DateTime },
): Promise<CommandResult> {
  refuseUnknown(args);
  const [action = 'list', ...requestIds] = args;
  return action === 'list' ? listCallbacks(database, json) : resend(database, requestIds, now);
}

async function listCallbacks(database: Database, json: boolean): Promise<CommandResult> {
  const receivers = await listSilentReceivers(database);
  const undelivered = await listUndelivered(database);
  const waiting = await countWaiting(database);
  const code = receivers.length + undelivered.length > 0 ? 1 : 0;
  if (json) return { code, text: JSON.stringify({ receivers, waiting, undelivered }, null, 2) };
  const lines = [
    ...section('Receivers that do not answer', receivers.map(describeReceiver)),
    ...section('Instructions waiting to be sent', waiting.map(describeWaiting)),
    ...section(
      'Undelivered: given up (fix the cause, then run: queue callbacks resend)',
      undelivered.map(describeUndelivered),
    ),
    code === 0 ? 'No action required.' : 'Action required.',
  ];
  return { code, text: lines.join('\n') };
}

/** Resends all if no ids are given. Paused receivers are called immediately. */
async function resend(
  database: Database,
  requestIds: readonly string[],
  now: DateTime,
): Promise<CommandResult> {
  const wanted = requestIds.length > 0 ? requestIds : undefined;
  const done = await database.transaction(async (tx) => {
    await forgetReceivers(tx);
    return askForResending(tx, wanted, now);
  });
  const skipped = requestIds.filter((id) => !done.includes(id));
  const lines = [
    `${done.length} instruction${done.length === 1 ? '' : 's'} put back: sent by the running process within a minute, else after its next start`,
    ...skipped.map(
      (id) => `  ${id}: not one that was given up, or of no use any more (paid, canceled, superseded)`,
    ),
  ];
  return { code: skipped.length === 0 ? 0 : 1, text: lines.join('\n') };
}

function describeReceiver(receiver: SilentReceiver): string {
  const { address, failures, failingSince, openUntil, lastAnswer } = receiver;
  const next = openUntil ? `, next try after ${exactMoment(openUntil)}` : '';
  return `${address}: ${failures} failures in a row since ${exactMoment(failingSince)}${next}: ${lastAnswer}`;
}

function describeWaiting({ organization, count, oldestAt }: WaitingCount): string {
  return `${organization}: ${count}, the oldest made ${exactMoment(oldestAt)}`;
}

function describeUndelivered(action: UndeliveredAction): string {
  const { requestId, organization, invoiceId, suggestion, idealRetryAt, undeliverableAt, reason } = action;
  const what = `${suggestion.replace('ACTION_SUGGESTION_', '')} ${invoiceId} of ${organization}`;
  const when = `for ${exactMoment(idealRetryAt)}, given up ${exactMoment(undeliverableAt)}`;
  return `${requestId}: ${what}, ${when}: ${reason ? describeStatusReason(reason) : 'no reason is recorded'}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}
