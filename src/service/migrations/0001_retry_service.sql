-- Every row carries the organization. Times are UTC. A message is kept as received, as text: jsonb refuses \u0000.

create table retry_service.subscriptions (
  organization text        not null,
  id           text        not null,
  state        text        not null,
  updated_at   timestamptz not null,
  message      text        not null,
  primary key (organization, id)
);

create table retry_service.invoices (
  organization    text        not null,
  id              text        not null,
  customer_id     text        not null,
  subscription_id text,
  state           text        not null,
  currency        text        not null,
  updated_at      timestamptz not null,
  message         text        not null,
  primary key (organization, id)
);
create index invoices_subscription on retry_service.invoices (organization, subscription_id);

create table retry_service.transactions (
  organization text        not null,
  id           text        not null,
  invoice_id   text        not null,
  state        text        not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  message      text        not null,
  primary key (organization, id)
);
create index transactions_invoice on retry_service.transactions (organization, invoice_id, created_at);

-- An unpaid invoice with a failed transaction. `decided_for` is the failed transaction last decided about;
-- `review_at` is when the next decision is made although no new transaction came.
create table retry_service.cases (
  organization text        not null,
  invoice_id   text        not null,
  state        text        not null,
  reason       text,
  decided_for  text,
  review_at    timestamptz,
  opened_at    timestamptz not null,
  updated_at   timestamptz not null,
  primary key (organization, invoice_id)
);
create index cases_review on retry_service.cases (organization, review_at) where review_at is not null;

-- `decided_for` is the failed transaction that led to the action, `transaction_id` the one that came of it.
-- `position` breaks ties of the listing's order: later rows have higher ones, which random ids would not.
create table retry_service.recovery_actions (
  position            bigint      generated always as identity unique,
  id                  uuid        primary key,
  organization        text        not null,
  request_id          uuid        not null unique,
  invoice_id          text        not null,
  subscription_id     text,
  customer_id         text        not null,
  decided_for         text        not null,
  transaction_id      text,
  payment_method_type text,
  card_country        text,
  currency            text        not null,
  suggestion          text        not null,
  ideal_retry_at      timestamptz not null,
  reason              text        not null,
  status              text        not null,
  status_reason       text,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  executed_at         timestamptz,
  sent_at             timestamptz,
  claimed_until       timestamptz,
  send_attempts       integer     not null default 0
);
-- One instruction outstanding for an invoice.
create unique index recovery_actions_outstanding on retry_service.recovery_actions (organization, invoice_id)
  where status in ('PENDING', 'SENT');
create index recovery_actions_invoice on retry_service.recovery_actions (organization, invoice_id, position);
create index recovery_actions_created on retry_service.recovery_actions (organization, created_at, position);
create index recovery_actions_executed on retry_service.recovery_actions (organization, executed_at, position);

create table retry_service.api_keys (
  organization text        not null,
  hash         text        not null,
  created_at   timestamptz not null,
  primary key (organization, hash)
);

create table retry_service.settings (
  organization text not null,
  name         text not null,
  value        text not null,
  primary key (organization, name)
);
