/** Retention of stored records, and the interval of their comparison with Stripe. */
import { integer, onOff, part, setting } from './setting-kinds.ts';

/** How long, in days. */
export interface RetentionDays {
  /** Days for received bodies and addresses. */
  readonly bodies: number;
  /** Rows that are settled. */
  readonly rows: number;
}

export const RETENTION_SETTINGS = {
  RETENTION_DAYS: part(
    "How long bodies of processed events, and addresses and contents of emails, are kept, by Stripe's clock; at least 31, since Stripe lists events for 30 days.",
    integer(31, 3_650).default(35),
    { place: 'retention.eventDays', isAdvanced: true },
  ),
  HISTORY_DAYS: part(
    "How long rows of settled invoices are kept (docs/reference/security.md); at least 400, longer than any limit's window, a refund or a yearly period.",
    integer(400, 36_500).default(1_461),
    { place: 'retention.historyDays', isAdvanced: true },
  ),
  VERIFY_DAYS: setting(
    'Every how many days everything stored is compared with Stripe at a low pace, as `verify` does; 0: never.',
    integer(0, 365).default(7),
    { place: 'verifyDays', isAdvanced: true },
  ),
  FORGET_DELETED_CUSTOMERS: setting(
    '`on`: a customer who is deleted at Stripe is forgotten here, too, as `customers forget` does.',
    onOff(),
    { place: 'retention.forgetDeletedCustomers', natural: 'switch', isAdvanced: true },
  ),
} as const;
