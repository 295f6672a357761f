-- Who has unpaid invoices is read from this index alone, in order.
drop index payment_retry.failures_open;
create index failures_open on payment_retry.failures (failed_at desc, invoice_id)
  include (account, customer_id, currency, amount, next_kind) where state = 'open';
