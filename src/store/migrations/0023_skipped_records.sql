-- Charges of no invoice that was read, and what was deleted meanwhile.
alter table payment_retry.backfill_ranges rename column strange to skipped;
