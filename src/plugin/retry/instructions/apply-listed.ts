/** Applies listed instructions whose callback never came. */
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

/** Applies in the service's order. Returns how many were applied, and how many had come by callback. */
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

/** The service's listing. Its record keeps the result; nobody reads an answer. */
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
  // An envelope's `id` is its request id, so both are tried.
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
 * Issue time of a listed instruction on our clock, by which callbacks are dated at arrival. It is never later than now, so that a callback
 * to come is newer. Among listed instructions the service's own times decide: it follows those created before it (later row on a tie)
 * and precedes those created later.
 */
export function placeIssue(created: DateTime, seenAt: DateTime, { after, before }: Neighbours): DateTime {
  const own = DateTime.min(created, seenAt);
  const behind = after ? DateTime.max(own, after) : own;
  if (!before || behind < before) return behind;
  return before.minus({ milliseconds: 1 });
}
