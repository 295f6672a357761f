-- Invoices that the service has given up, in `exclusive` mode. `started_at`: Stripe was asked for what AFTER_GIVING_UP says,
-- and `ended_at`: it was done. Without a planned action it is a person who decides.
create table payment_retry.endings (
  account     text        not null,
  invoice_id  text        not null,
  given_up_at timestamptz not null,
  reason      jsonb       not null,
  started_at  timestamptz,
  ended_at    timestamptz,
  primary key (account, invoice_id)
);
create index endings_open on payment_retry.endings (given_up_at) where ended_at is null;
