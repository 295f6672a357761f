import type { DateTime } from 'luxon';
import { stableUuid } from '../../../core/base/stable-uuid.ts';
import { listOverdueActions } from '../../store/tables/retry/actions.ts';
import { listUnhandledInstructions, SWEPT_TURN } from '../../store/tables/retry/instructions.ts';
import { listUnsignaled } from '../../store/tables/retry/signals.ts';
import { listForgotten } from '../../store/tables/retry/takeovers.ts';
import type { UnfinishedWork } from '../../store/tables/unfinished-work.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

const LIMIT = 1_000;

/** Enqueues work that is overdue since `before` because a process died. An `occasion` makes jobs of its own, independent of recent sweeps. */
export async function sweepRetry(
  deps: Pick<RetryDeps, 'database' | 'enqueue' | 'config'>,
  before: DateTime,
  unfinished: UnfinishedWork,
  occasion = '',
): Promise<void> {
  if (unfinished.instructions) {
    const instructions = await listUnhandledInstructions(deps.database, before, LIMIT);
    await deps.enqueue(
      'schedule-instruction',
      instructions.map((data) => ({
        id: jobIdFor(`${occasion}${data.account} ${data.requestId}`, before),
        priority: SWEPT_TURN,
        data,
      })),
    );
  }
  if (unfinished.due || unfinished.running) {
    const actions = await listOverdueActions(deps.database, before, LIMIT);
    await deps.enqueue(
      'execute-action',
      actions.map((actionId) => ({ id: jobIdFor(`${occasion}${actionId}`, before), data: { actionId } })),
    );
  }
  if (unfinished.takeovers) await returnForgotten(deps, before);
  const isOn = deps.config.retrySignal !== 'off' && deps.config.mode === 'exclusive';
  if (unfinished.signals || (isOn && unfinished.takeovers)) {
    const watched = await listUnsignaled(deps.database, { before, isOn }, LIMIT);
    await deps.enqueue(
      'follow-signal',
      watched.map((data) => {
        const key = `${data.account} ${data.invoiceId}`;
        return { id: jobIdFor(`signal ${key}`, before), key, data };
      }),
    );
  }
}

/** Hands back invoices about which the service is silent. */
async function returnForgotten(
  { database, enqueue, config }: Pick<RetryDeps, 'database' | 'enqueue' | 'config'>,
  now: DateTime,
): Promise<void> {
  const { handbackAfterDays: days } = config;
  if (days === 0) return;
  const since = { before: now.minus({ days }), lookedAt: now.minus({ days: 1 }) };
  const forgotten = await listForgotten(database, since, LIMIT);
  const reason = { code: 'nothing_asked', days } as const;
  await enqueue(
    'hand-back-invoice',
    forgotten.map((key) => ({
      id: jobIdFor(`hand back ${key.account} ${key.invoiceId}`, now),
      data: { ...key, reason },
    })),
  );
}

const SLOT_MINUTES = 10;

/** One extra job each in ten minutes: during an outage of hours, sweeps must not pile up jobs. */
function jobIdFor(what: string, at: DateTime): string {
  return stableUuid(`${what} ${Math.floor(at.toMillis() / (SLOT_MINUTES * 60_000))}`);
}
