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
import type { ListingDeps } from './read-listing.ts';
import { type Source, takeIn } from './source.ts';

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

type Fate = 'applied' | 'known' | undefined;

/** Listed by the service, to whom the answer is of no use: the record remembers it. */
const LISTING: Source<WaitingRecord, Fate> = {
  name: 'listing',
  read: ({ id, requestId, invoiceId, subscriptionId, suggestion, idealRetryAt, body }) => ({
    requestId: requestId ?? id,
    type: 'suggestion',
    invoiceId,
    subscriptionId: subscriptionId ?? undefined,
    suggestion,
    idealRetryAt,
    body,
  }),
  issuedAt: async (tx, { account, message: { invoiceId, createdAt }, receivedAt }) => {
    if (createdAt === null) return receivedAt;
    return placeIssue(createdAt, receivedAt, await findNeighbours(tx, account, { invoiceId, createdAt }));
  },
  answer: (tx, { account, message, isNew }) => settle(tx, account, message, isNew ? 'applied' : 'known'),
};

async function apply(
  deps: ListingDeps,
  tx: Transaction,
  account: string,
  record: WaitingRecord,
): Promise<Fate> {
  await lockInstructionsOfInvoice(tx, account, record.invoiceId);
  // An envelope's `id` plays the part of the request id, so either may be the one under which it came.
  if (await findInstruction(tx, account, record.id)) return settle(tx, account, record, 'known');
  return takeIn(deps, tx, LISTING, { account, message: record });
}

/** Undefined if another process settled it first. */
async function settle(
  tx: Transaction,
  account: string,
  { id }: WaitingRecord,
  fate: 'applied' | 'known',
): Promise<Fate> {
  return (await settleWaiting(tx, { account, id }, fate)) ? fate : undefined;
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
