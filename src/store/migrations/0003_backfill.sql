-- One reading of all that Stripe has. At most one of an account is open; it is continued until it is finished.
create table payment_retry.backfill_runs (
  id          bigint      generated always as identity primary key,
  account     text        not null,
  kind        text        not null,
  months      integer     not null,
  per_second  integer     not null,
  started_at  timestamptz not null,
  finished_at timestamptz,
  failures    integer     not null default 0,
  reason      text
);
create unique index backfill_runs_open on payment_retry.backfill_runs (account) where finished_at is null;

-- What one reader goes through, newest first: `to_second` and `after_id` are where it stands, `top_second` where it
-- began. The counts are of what it has read, so a page's rows, its counts and the position commit together.
create table payment_retry.backfill_ranges (
  id          bigint      generated always as identity primary key,
  run         bigint      not null,
  list        text        not null,
  from_second bigint      not null,
  to_second   bigint      not null,
  top_second  bigint      not null,
  after_id    text,
  is_done     boolean     not null default false,
  moved_at    timestamptz not null,
  read        bigint      not null default 0,
  added       bigint      not null default 0,
  repaired    bigint      not null default 0,
  equal       bigint      not null default 0,
  silent      bigint      not null default 0,
  strange     bigint      not null default 0
);
create index backfill_ranges_run on payment_retry.backfill_ranges (run, list);

-- While a run lasts: which invoice a payment intent (or charge) pays, as charges no longer say (stripe-facts 3.3).
create table payment_retry.backfill_payments (
  run        bigint not null,
  payment    text   not null,
  invoice_id text   not null,
  primary key (run, payment)
);

-- While a run lasts: the invoices that it saw open or as drafts.
create table payment_retry.backfill_seen (
  run        bigint not null,
  invoice_id text   not null,
  primary key (run, invoice_id)
);

-- The last run that gave the row something new to tell the service.
alter table payment_retry.subscriptions add column backfill_run bigint;
alter table payment_retry.invoices add column backfill_run bigint;
alter table payment_retry.attempts add column backfill_run bigint;
