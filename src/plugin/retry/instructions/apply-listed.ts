/** Listed instructions whose callback never came are applied as the callback would have been. */
import { DateTime } from 'luxon';
import type { Transaction } from '../../../core/database/database.ts';
import { findInstruction, lockInstructionsOfInvoice } from '../../store/tables/retry/instructions.ts';
import {
  findNeighbours,
  listWaiting,
  type Neighbours,
  settleWaiting,
  type WaitingRecord,
} from '../../store/tables/retry/listed-actions.ts';
import { acceptInstruction } from './accept-instruction.ts';
import type { ListingDeps } from './read-listing.ts';

const AT_ONCE = 200;

/** In the order in which the service gave them. Returns how many were applied, and how many had come by callback. */
export async function applyListed(
  deps: ListingDeps,
  account: string,
): Promise<{ applied: number; known: number }> {
  const counts = { applied: 0, known: 0 };
  for (;;) {
    const waiting = await listWaiting(deps.database, account, AT_ONCE);
    if (waiting.length === 0) return counts;
    for (const record of waiting) {
      const fate = await deps.database.transaction((tx) => apply(deps, tx, account, record));
      if (fate) counts[fate] += 1;
    }
  }
}

async function apply(
  deps: ListingDeps,
  tx: Transaction,
  account: string,
  record: WaitingRecord,
): Promise<'applied' | 'known' | undefined> {
  const { id, requestId, invoiceId } = record;
  await lockInstructionsOfInvoice(tx, account, invoiceId);
  // An envelope's `id` plays the part of the request id, so either may be the one under which it came.
  const isKnown = (await findInstruction(tx, account, id)) !== undefined;
  const receivedAt = deps.clock.now();
  const isAccepted =
    !isKnown &&
    (await acceptInstruction(tx, deps.enqueue, {
      account,
      requestId: requestId ?? id,
      source: 'listing',
      receivedAt,
      issuedAt: await findIssuedAt(tx, account, record, receivedAt),
      type: 'suggestion',
      invoiceId,
      subscriptionId: record.subscriptionId ?? undefined,
      suggestion: record.suggestion,
      idealRetryAt: record.idealRetryAt,
      body: record.body,
    }));
  const fate = isAccepted ? 'applied' : 'known';
  return (await settleWaiting(tx, { account, id }, fate)) ? fate : undefined;
}

async function findIssuedAt(
  tx: Transaction,
  account: string,
  { invoiceId, createdAt }: WaitingRecord,
  seenAt: DateTime,
): Promise<DateTime> {
  if (createdAt === null) return seenAt;
  return placeIssue(createdAt, seenAt, await findNeighbours(tx, account, { invoiceId, createdAt }));
}

/**
 * When a listed instruction was given, on our time scale, on which callbacks stand at their arrival. Its own time is the
 * service's clock's: it is never later than now, so that a callback still to come is newer. Against an instruction that
 * the service lists as well, the service's two times decide, as they are of one clock: it stands behind those created
 * before (on a tie the later row is newer) and in front of those created later, which it must not replace.
 */
export function placeIssue(created: DateTime, seenAt: DateTime, { after, before }: Neighbours): DateTime {
  const own = DateTime.min(created, seenAt);
  const behind = after ? DateTime.max(own, after) : own;
  if (!before || behind < before) return behind;
  return before.minus({ milliseconds: 1 });
}
