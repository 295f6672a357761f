-- What the embedded service last decided about each failed invoice: its own times, and its number of the decision, up to
-- which its decisions are read. `reasons` are sentences, one a line.
create table payment_retry.recovery_cases (
  account               text        not null,
  invoice_id            text        not null,
  revision              bigint      not null,
  state                 text        not null,
  reason                text        not null,
  reasons               text        not null,
  review_at             timestamptz,
  is_on_static_schedule boolean     not null,
  opened_at             timestamptz not null,
  updated_at            timestamptz not null,
  primary key (account, invoice_id)
);
create index recovery_cases_revision on payment_retry.recovery_cases (account, revision);
