/** Facts that end the collection of an invoice until a person releases it. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';
import { isOfForgotten } from '../../store/tables/forgotten.ts';
import { findLinkUse } from '../../store/tables/retry/emails.ts';
import { findHold, isHeld } from '../../store/tables/retry/holds.ts';
import { findStopOfService } from '../../store/tables/retry/instructions.ts';
import { findPostponement, type Postponement } from '../../store/tables/retry/postponements.ts';
import type { InvoiceKey } from '../../store/tables/retry/takeovers.ts';
import { findPayersDispute, isDisputed, type PayersDispute } from '../../store/tables/sync/disputes.ts';

export interface InvoiceHolds {
  /** A person's reason for the hold of the invoice or its customer; undefined without one. */
  readonly holdReason: string | undefined;
  /** A person's last release, which settles earlier objections. */
  readonly releasedAt: DateTime | undefined;
  /** When the customer last continued from the card page. */
  readonly continuedAt?: DateTime | undefined;
  /** The service's last instruction was to stop. */
  readonly isStoppedByService: boolean;
  /** A payment of it was disputed, after the release if there was one. */
  readonly isDisputed: boolean;
  /** The customer's dispute of any invoice since the release. */
  readonly payersDispute?: PayersDispute | undefined;
  /** The customer is forgotten: nothing is collected any more. */
  readonly isForgotten?: boolean;
  /** A person's postponement. */
  readonly postponed?: Postponement | undefined;
}

export async function readHolds(
  db: Queryable,
  { account, invoiceId, customerId }: InvoiceKey & { readonly customerId?: string | undefined },
): Promise<InvoiceHolds> {
  const hold = await findHold(db, { account, invoiceId, customerId });
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

/** A person's stop; undefined without a hold. */
export function findPersonsStop({ holdReason }: Pick<InvoiceHolds, 'holdReason'>): Reason | undefined {
  return holdReason === undefined ? undefined : { code: 'stopped_by_person', note: holdReason };
}

/** Whether a person's release came later, and so settles it. */
export function wasReleasedSince(
  { releasedAt }: Pick<InvoiceHolds, 'releasedAt'>,
  endedAt: DateTime | undefined,
): boolean {
  return releasedAt !== undefined && endedAt !== undefined && releasedAt >= endedAt;
}
