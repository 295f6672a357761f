/** What ends the collection of an invoice for good, until a person releases it. */
import type { DateTime } from 'luxon';
import type { Database, Queryable } from '../../store/engine/database.ts';
import type { Reason } from '../../store/reasons/reason.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { closeScheduledActions } from '../../store/tables/retry/actions.ts';
import {
  findHold,
  holdInvoice,
  isHeld,
  releaseInvoice,
  type Saying,
} from '../../store/tables/retry/holds.ts';
import { isStoppedByService } from '../../store/tables/retry/instructions.ts';
import { letHappen } from '../../store/tables/retry/undecided.ts';
import { isDisputed } from '../../store/tables/sync/disputes.ts';
import { isCollectionOver } from '../../store/tables/sync/invoices.ts';
import { takeUpAgain } from '../ending/give-up.ts';

export interface InvoiceHolds {
  /** Why a person holds the invoice; undefined while nobody does. */
  readonly holdReason: string | undefined;
  /** When a person last let it be collected, whatever stood against it until then. */
  readonly releasedAt: Date | undefined;
  /** The service's last word on the invoice was to stop. */
  readonly isStoppedByService: boolean;
  /** A payment of it was disputed, after the release if there was one. */
  readonly isDisputed: boolean;
}

export async function readHolds(db: Queryable, account: string, invoiceId: string): Promise<InvoiceHolds> {
  const hold = await findHold(db, account, invoiceId);
  const releasedAt = hold?.releasedAt ?? undefined;
  return {
    holdReason: isHeld(hold) ? hold?.reason : undefined,
    releasedAt,
    isStoppedByService: await isStoppedByService(db, account, invoiceId),
    isDisputed: await isDisputed(db, account, invoiceId, releasedAt),
  };
}

/** Why a person stopped the invoice; undefined while nobody holds it. */
export function findPersonsStop({ holdReason }: Pick<InvoiceHolds, 'holdReason'>): Reason | undefined {
  return holdReason === undefined ? undefined : { code: 'stopped_by_person', note: holdReason };
}

/** Closes what is scheduled for an invoice and lets nothing restart it. Returns how many actions were closed. */
export async function stopInvoice(database: Database, saying: Saying): Promise<number> {
  const { account, invoiceId, reason, at } = saying;
  return database.transaction(async (tx) => {
    if (!(await holdInvoice(tx, saying))) return 0;
    await recordAudit(tx, { account, at, invoiceId, kind: 'operator.stopped', detail: { note: reason } });
    const target = { account, invoiceIds: [invoiceId] };
    return closeScheduledActions(tx, target, { code: 'stopped_by_person', note: reason }, at);
  });
}

/**
 * From here on a new instruction is followed again, and a payment that waits for a person's decision is made. What was closed
 * stays closed, and what was asked while something stood against the collection is closed now: the service did not know of
 * the release when it asked.
 */
export async function releaseHold(database: Database, saying: Saying): Promise<void> {
  const { account, invoiceId, reason, at } = saying;
  await database.transaction(async (tx) => {
    const { holdReason, isDisputed } = await readHolds(tx, account, invoiceId);
    if (holdReason !== undefined || isDisputed || (await isCollectionOver(tx, account, invoiceId))) {
      const target = { account, invoiceIds: [invoiceId] };
      await closeScheduledActions(tx, target, { code: 'planned_before_release' }, at);
    }
    await takeUpAgain(tx, account, [invoiceId], at);
    await releaseInvoice(tx, saying);
    await letHappen(tx, account, invoiceId, at);
    await recordAudit(tx, { account, at, invoiceId, kind: 'operator.released', detail: { note: reason } });
  });
}

/** Whether a person's release came after something ended, and so overrules it. */
export function wasReleasedSince(
  { releasedAt }: Pick<InvoiceHolds, 'releasedAt'>,
  endedAt: DateTime | undefined,
): boolean {
  return releasedAt !== undefined && endedAt !== undefined && releasedAt.getTime() >= endedAt.toMillis();
}
