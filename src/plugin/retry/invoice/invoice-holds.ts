/** What ends the collection of an invoice for good, until a person releases it. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';
import { isOfForgotten } from '../../store/tables/forgotten.ts';
import { findLinkUse } from '../../store/tables/retry/emails.ts';
import { findHold, isHeld } from '../../store/tables/retry/holds.ts';
import { findStopOfService } from '../../store/tables/retry/instructions.ts';
import { findPostponement, type Postponement } from '../../store/tables/retry/postponements.ts';
import { findPayersDispute, isDisputed, type PayersDispute } from '../../store/tables/sync/disputes.ts';

export interface InvoiceHolds {
  /** Why a person holds the invoice; undefined while nobody does. */
  readonly holdReason: string | undefined;
  /** When a person last let it be collected, whatever stood against it until then. */
  readonly releasedAt: DateTime | undefined;
  /** When the customer last went on from the card page of this invoice. */
  readonly continuedAt?: DateTime | undefined;
  /** The service's last word on the invoice was to stop. */
  readonly isStoppedByService: boolean;
  /** A payment of it was disputed, after the release if there was one. */
  readonly isDisputed: boolean;
  /** What the customer disputes of any invoice, since the release. */
  readonly payersDispute?: PayersDispute | undefined;
  /** The customer is forgotten: nobody asks for the money any more. */
  readonly isForgotten?: boolean;
  /** Until when a person wants it left alone, and why. */
  readonly postponed?: Postponement | undefined;
}

export async function readHolds(db: Queryable, account: string, invoiceId: string): Promise<InvoiceHolds> {
  const hold = await findHold(db, account, invoiceId);
  const releasedAt = hold?.releasedAt ?? undefined;
  return {
    holdReason: isHeld(hold) ? hold?.reason : undefined,
    releasedAt,
    continuedAt: await findLinkUse(db, { account, invoiceId }),
    isStoppedByService: (await findStopOfService(db, account, invoiceId)) !== undefined,
    isDisputed: await isDisputed(db, account, invoiceId, releasedAt),
    payersDispute: await findPayersDispute(db, { account, invoiceId }, releasedAt),
    isForgotten: await isOfForgotten(db, account, invoiceId),
    postponed: await findPostponement(db, { account, invoiceId }),
  };
}

/** Why a person stopped the invoice; undefined while nobody holds it. */
export function findPersonsStop({ holdReason }: Pick<InvoiceHolds, 'holdReason'>): Reason | undefined {
  return holdReason === undefined ? undefined : { code: 'stopped_by_person', note: holdReason };
}

/** Whether a person's release came after something ended, and so overrules it. */
export function wasReleasedSince(
  { releasedAt }: Pick<InvoiceHolds, 'releasedAt'>,
  endedAt: DateTime | undefined,
): boolean {
  return releasedAt !== undefined && endedAt !== undefined && releasedAt >= endedAt;
}
