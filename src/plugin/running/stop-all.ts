import type { Mailer } from '../../clients/mailer.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { PluginQueues } from '../../jobs/plugin-queues.ts';
import type { ProcessWatch } from '../../jobs/process-watch.ts';
import { DatabaseAwayError, DatabaseDamagedError } from '../../kit/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Backfill } from '../../sync/backfill/backfill.ts';
import type { Inbox } from '../../sync/receive/inbox.ts';
import type { WebhookReceiver } from '../../sync/receive/webhook.ts';
import type { OperatorSocket } from '../commands/operator-socket.ts';
import type { PauseWatch } from '../pause-watch.ts';
import type { EmbeddedService } from './embedded-service.ts';

/** In this order, each although another fails: a database that is away must not keep a port open. */
export async function stopAll(running: {
  webhook: WebhookReceiver;
  inbox: Inbox;
  backfill: Backfill;
  jobs: Jobs<PluginQueues>;
  embedded: EmbeddedService | undefined;
  watch: ProcessWatch | undefined;
  pauses: PauseWatch;
  socket: OperatorSocket | undefined;
  mailer: Mailer | undefined;
  database: Database;
}): Promise<void> {
  const steps = [
    running.webhook.stop,
    async () => running.inbox.stop(),
    async () => running.backfill.stop(),
    running.jobs.stop,
    async () => running.embedded?.stop(),
    async () => running.watch?.stop(),
    async () => running.pauses.stop(),
    async () => running.socket?.stop(),
    async () => running.mailer?.close(),
    running.database.close,
  ];
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      // While it is away nothing can be recorded; the other processes, and the next start, find out.
      if (!(error instanceof DatabaseAwayError || error instanceof DatabaseDamagedError))
        failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.');
}
