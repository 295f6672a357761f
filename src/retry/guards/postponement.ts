import type { DateTime } from 'luxon';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { Guard } from '../actions/objection.ts';
import type { InvoiceHolds } from '../invoice/invoice-holds.ts';

/** A person wants the invoice left alone for some time. What the customer does, and what a person asks for, does not wait. Pure. */
export const POSTPONED: Guard<{
  readonly action: Pick<StoredAction, 'cause'>;
  readonly holds: Pick<InvoiceHolds, 'postponed'>;
  readonly now: DateTime;
}> = {
  name: 'postponed',
  check: ({ action: { cause }, holds: { postponed }, now }) => {
    const until = postponed?.until;
    if (!until || until <= now || cause === 'card_change' || cause === 'operator') return undefined;
    const note = postponed.note ?? undefined;
    return { until, reason: { code: 'postponed_by_person', until: until.toISO() ?? '', note } };
  },
};
