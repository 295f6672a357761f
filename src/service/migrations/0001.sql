-- The embedded service's whole schema. Later migrations only add to it: a process of the version before works on.
--
-- Every row carries the organization: the client that an API key was issued to. Times are UTC. Money is in minor units beside its
-- currency. A message is kept as received, as text: jsonb refuses \u0000.
-- "With its invoice" means: for HISTORY_DAYS after the invoice is no longer owed, and not before all that needs it is over.

-- 1. What clients sent (ingest).

-- The latest state of each subscription.
-- Kept: for ever.
create table retry_service.subscriptions (
  organization text        not null,
  id           text        not null,
  state        text        not null,
  updated_at   timestamptz not null,
  message      text        not null,
  primary key (organization, id)
);

-- The latest state of each invoice.
-- Kept: for HISTORY_DAYS after it is no longer owed.
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
create index invoices_customer on retry_service.invoices (organization, customer_id);
create index invoices_settled on retry_service.invoices (updated_at, organization, id) where state <> 'INVOICE_STATE_UNPAID';

-- Payments of invoices, and their failures.
-- Kept: with its invoice.
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

-- Customers of whom nothing personal is kept, whatever is told of them later.
-- Kept: for ever.
create table retry_service.forgotten_customers (
  organization text        not null,
  customer_id  text        not null,
  forgotten_at timestamptz not null,
  primary key (organization, customer_id)
);

-- 2. What is decided, and what becomes of it.

-- An unpaid invoice with a failed transaction.
-- Kept: with its invoice; one that was drawn for the comparison, for ever: it is the evidence, and names nobody.
create table retry_service.cases (
  organization    text        not null,
  invoice_id      text        not null,
  state           text        not null,
  reason          text,
  -- Why the latest decision is what it is: codes with parameters.
  reasons         jsonb       not null default '[]',
  -- Numbers the decisions of an organization in their order: a reader that has seen one asks for those after it. Null until the
  -- first decision. Unlike `updated_at` it has no ties and does not go back with the clock.
  revision        bigint,
  -- The failed transaction last decided about.
  decided_for     text,
  -- The answer on another invoice of the payer that was last decided about.
  heard_of        text,
  -- When the next decision is made although no new transaction came.
  review_at       timestamptz,
  opened_at       timestamptz not null,
  updated_at      timestamptz not null,
  -- Whether the case keeps the static schedule, with which chance in percent and by which seed that was drawn: set at the first
  -- decision for which it matters, never changed.
  is_held_out     boolean,
  holdout_percent integer,
  holdout_seed    integer,
  primary key (organization, invoice_id)
);
-- Overdue cases are looked for in all organizations.
create index cases_overdue on retry_service.cases (review_at, organization, invoice_id) where review_at is not null;
create unique index cases_revision on retry_service.cases (organization, revision);

-- An instruction: what is asked for an invoice, when, and what became of it.
-- Kept: with its invoice.
create table retry_service.recovery_actions (
  -- Breaks ties of the listing's order: later rows have higher ones, which random ids would not.
  position            bigint           generated always as identity unique,
  id                  uuid             primary key,
  organization        text             not null,
  request_id          uuid             not null unique,
  invoice_id          text             not null,
  subscription_id     text,
  customer_id         text             not null,
  -- The failed transaction that led to it.
  decided_for         text             not null,
  -- The one that came of it.
  transaction_id      text,
  payment_method_type text,
  card_country        text,
  currency            text             not null,
  suggestion          text             not null,
  ideal_retry_at      timestamptz      not null,
  reason              text             not null,
  -- Why the time was chosen: codes with parameters.
  reasons             jsonb            not null default '[]',
  status              text             not null,
  status_reason       jsonb,
  created_at          timestamptz      not null,
  updated_at          timestamptz      not null,
  executed_at         timestamptz,
  sent_at             timestamptz,
  claimed_until       timestamptz,
  send_attempts       integer          not null default 0,
  -- The organization has read it in the listing while it was outstanding, so it may be carried out though no callback was
  -- acknowledged.
  listed_at           timestamptz,
  -- Sending was given up. A person may ask for it again (`resend_asked_at`); the days for which it is sent then count from
  -- `send_since`.
  undeliverable_at    timestamptz,
  is_refused          boolean          not null default false,
  send_since          timestamptz,
  resend_asked_at     timestamptz
);
-- One instruction outstanding for an invoice.
create unique index recovery_actions_outstanding on retry_service.recovery_actions (organization, invoice_id)
  where status in ('PENDING', 'SENT');
create index recovery_actions_invoice on retry_service.recovery_actions (organization, invoice_id, position);
create index recovery_actions_created on retry_service.recovery_actions (organization, created_at, position);
create index recovery_actions_undeliverable on retry_service.recovery_actions
  (undeliverable_at) where undeliverable_at is not null;
create index recovery_actions_resend on retry_service.recovery_actions (resend_asked_at) where resend_asked_at is not null;
-- One index for each order of the listing; unexecuted actions come last in either direction.
create index recovery_actions_ideal on retry_service.recovery_actions (organization, ideal_retry_at, position);
create index recovery_actions_executed_asc on retry_service.recovery_actions
  (organization, coalesce(executed_at, 'infinity'), position);
create index recovery_actions_executed_desc on retry_service.recovery_actions
  (organization, coalesce(executed_at, '-infinity'), position);
-- And for its filters that leave few.
create index recovery_actions_customer on retry_service.recovery_actions (organization, customer_id, position);
create index recovery_actions_subscription on retry_service.recovery_actions (organization, subscription_id, position);
create index recovery_actions_transaction on retry_service.recovery_actions (organization, transaction_id)
  where transaction_id is not null;

-- A callback address that fails; one that answers has no row.
-- Kept: until it answers.
create table retry_service.callback_receivers (
  address       text        primary key,
  -- Those in a row of more than one instruction.
  failures      integer     not null,
  last_failed   text        not null,
  last_answer   text        not null,
  failing_since timestamptz not null,
  pause_seconds integer     not null default 0,
  -- Nothing is sent before.
  open_until    timestamptz,
  -- After `open_until` one instruction at a time tries, for at most until then.
  probe_until   timestamptz
);

-- 3. Access.

-- Keys of clients. A key is made by the package, for its own plugin, and follows from the settings at each start; or it is made by
-- a person.
-- Kept: for ever.
create table retry_service.api_keys (
  organization        text        not null,
  hash                text        not null,
  -- Names a key to people and tells nothing of it.
  id                  text        not null default ('key_' || left(replace(gen_random_uuid()::text, '-', ''), 12)),
  -- The end of its secret, to know it by.
  hint                text,
  made_by             text        not null default 'package',
  name                text        not null default '',
  requests_per_second integer,
  created_at          timestamptz not null,
  last_used_at        timestamptz,
  -- A rotated key is good until then.
  expires_at          timestamptz,
  -- The key that was made for it.
  replaced_by         text,
  revoked_at          timestamptz,
  primary key (organization, hash)
);
create index api_keys_hash on retry_service.api_keys (hash);
create unique index api_keys_id on retry_service.api_keys (id);

-- Failed sign-ins and wrong credentials by address, which all processes count together; and digests of an address and a credential that
-- was right.
-- Kept: until `until`.
create table retry_service.guesses (
  key      text        primary key,
  failures integer     not null,
  until    timestamptz not null
);
create index guesses_until on retry_service.guesses (until);
