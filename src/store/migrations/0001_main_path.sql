-- Every row carries the account. Times are UTC. Money is in minor units beside its currency.

-- What Stripe sent, verbatim. `payload` is text: jsonb refuses \u0000, which metadata may hold.
create table payment_retry.events (
  account      text        not null,
  id           text        not null,
  type         text        not null,
  created_at   timestamptz not null,
  received_at  timestamptz not null,
  payload      text        not null,
  processed_at timestamptz,
  result       text,
  error        text,
  primary key (account, id)
);
create index events_unprocessed on payment_retry.events (received_at) where processed_at is null;

-- The latest mapped message of each subscription. Dirty = `version` differs from `delivered_version`.
-- `message` lacks `updatedAt`, which is `version`, so that it never goes back for one subscription.
create table payment_retry.subscriptions (
  account           text        not null,
  id                text        not null,
  customer_id       text        not null,
  status            text        not null,
  message           jsonb,
  version           timestamptz not null,
  version_source    text        not null,
  delivered_version timestamptz,
  delivered_request text,
  refused_version   timestamptz,
  refused_answer    text,
  claimed_until     timestamptz,
  primary key (account, id)
);
create index subscriptions_dirty on payment_retry.subscriptions (account, version)
  where message is not null and version is distinct from delivered_version;
create index subscriptions_customer on payment_retry.subscriptions (account, customer_id);

create table payment_retry.invoices (
  account           text        not null,
  id                text        not null,
  customer_id       text        not null,
  subscription_id   text,
  status            text        not null,
  amount_remaining  bigint      not null,
  currency          text        not null,
  attempt_count     integer     not null,
  next_attempt_at   timestamptz,
  message           jsonb,
  version           timestamptz not null,
  version_source    text        not null,
  delivered_version timestamptz,
  delivered_request text,
  refused_version   timestamptz,
  refused_answer    text,
  claimed_until     timestamptz,
  primary key (account, id)
);
create index invoices_dirty on payment_retry.invoices (account, version)
  where message is not null and version is distinct from delivered_version;
create index invoices_customer on payment_retry.invoices (account, customer_id);
create index invoices_subscription on payment_retry.invoices (account, subscription_id);

-- What the service asked. `body` is text for the same reason as `events.payload`.
create table payment_retry.instructions (
  account         text        not null,
  request_id      text        not null,
  position        bigint      generated always as identity,
  source          text        not null,
  received_at     timestamptz not null,
  type            text        not null,
  invoice_id      text,
  subscription_id text,
  suggestion      text,
  ideal_retry_at  timestamptz,
  body            text        not null,
  state           text        not null,
  reason          text,
  handled_at      timestamptz,
  primary key (account, request_id)
);
create index instructions_invoice on payment_retry.instructions (account, invoice_id, position);
create index instructions_unhandled on payment_retry.instructions (received_at) where handled_at is null;

-- One due piece of work. `origin` names what asked for it and makes asking twice harmless.
create table payment_retry.actions (
  id              uuid        primary key,
  account         text        not null,
  origin          text        not null,
  kind            text        not null,
  invoice_id      text        not null,
  customer_id     text,
  subscription_id text,
  request_id      text,
  payment_method  text,
  due_at          timestamptz not null,
  state           text        not null,
  reason          text,
  claimed_until   timestamptz,
  created_at      timestamptz not null,
  closed_at       timestamptz,
  unique (account, origin, invoice_id)
);
create index actions_invoice on payment_retry.actions (account, invoice_id);
create index actions_open on payment_retry.actions (due_at) where state in ('scheduled', 'running');
-- One action at a time for a customer: parallel calls would lock each other out at Stripe (stripe-facts 3.10).
create unique index actions_single_flight on payment_retry.actions (account, customer_id) where state = 'running';

-- Every attempt on an invoice, ours and Stripe's own. The row of ours is written before the call to Stripe.
create table payment_retry.attempts (
  id                uuid        primary key,
  account           text        not null,
  invoice_id        text        not null,
  customer_id       text,
  subscription_id   text,
  action_id         uuid,
  source            text        not null,
  attempt_number    integer,
  idempotency_key   text        unique,
  payment_method    text,
  fingerprint       text,
  brand             text,
  method_type       text,
  amount            bigint,
  currency          text,
  charge_id         text,
  started_at        timestamptz not null,
  finished_at       timestamptz,
  calls             integer     not null default 0,
  outcome           text,
  code              text,
  decline_code      text,
  advice_code       text,
  network_code      text,
  network_advice    text,
  detail            text,
  message           jsonb,
  version           timestamptz,
  delivered_version timestamptz,
  delivered_request text,
  refused_version   timestamptz,
  refused_answer    text,
  claimed_until     timestamptz
);
create unique index attempts_charge on payment_retry.attempts (account, charge_id) where charge_id is not null;
create unique index attempts_number on payment_retry.attempts (account, invoice_id, attempt_number);
create index attempts_invoice on payment_retry.attempts (account, invoice_id, started_at);
create index attempts_fingerprint on payment_retry.attempts (account, fingerprint, started_at);
create index attempts_unknown on payment_retry.attempts (started_at) where outcome is null;
create index attempts_dirty on payment_retry.attempts (account, version)
  where message is not null and version is distinct from delivered_version;

create table payment_retry.emails (
  account     text        not null,
  invoice_id  text        not null,
  template    text        not null,
  step        text        not null,
  recipient   text        not null,
  message_id  text        not null,
  state       text        not null,
  detail      text,
  created_at  timestamptz not null,
  sent_at     timestamptz,
  primary key (account, invoice_id, template, step)
);

-- A dispute outlasts every later state of its invoice.
create table payment_retry.disputes (
  account    text        not null,
  id         text        not null,
  invoice_id text        not null,
  opened_at  timestamptz not null,
  primary key (account, id)
);
create index disputes_invoice on payment_retry.disputes (account, invoice_id);

create table payment_retry.cursors (
  account    text        not null,
  name       text        not null,
  value      text        not null,
  updated_at timestamptz not null,
  primary key (account, name)
);

create table payment_retry.audit (
  id         bigint      generated always as identity primary key,
  account    text        not null,
  at         timestamptz not null,
  invoice_id text,
  kind       text        not null,
  detail     jsonb       not null
);
create index audit_invoice on payment_retry.audit (account, invoice_id, id);
