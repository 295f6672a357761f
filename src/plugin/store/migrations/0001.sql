-- The plugin's whole schema, in the order of the flows. Later migrations only add to it: a process of the version before works on.
--
-- Every row carries the account (connected accounts share one database). Times are UTC. Money is in minor units, next to its currency.
-- Text of other systems is stored as text: jsonb refuses \u0000, which metadata may contain.
-- "With its invoice" means: for HISTORY_DAYS after the invoice is settled, and not before all that needs it is over.

-- 1. Stripe to service: Stripe's events, the newest known state, and the state delivered to the service.

-- What Stripe sent: the inbox. A worker takes what waits of an account together, but for events set apart, which have a job each.
-- Kept: the body for RETENTION_DAYS, the row for HISTORY_DAYS; one that failed for good keeps its body.
create table payment_retry.events (
  account      text        not null,
  id           text        not null,
  type         text        not null,
  created_at   timestamptz not null,
  received_at  timestamptz not null,
  -- By which way it came first: `webhook`, or `list` for Stripe's list of events.
  source       text        not null default 'webhook',
  -- Null once it is old, or if nothing is done about it.
  payload      text,
  -- Whom it is about: the customer's id, or that of a charge where it names no customer; '' for nobody.
  person       text        not null default '',
  is_apart     boolean     not null default false,
  processed_at timestamptz,
  -- One code with its parameters for each step that looked at it, such as `[{"code": "mirrored"}]`.
  results      jsonb,
  error        text,
  -- How often a person put the dead event back. Part of its job's id: the queue still has the job that failed under the old one.
  replays      integer     not null default 0,
  primary key (account, id)
);
create index events_dead on payment_retry.events (processed_at, id) where results->0->>'code' = 'dead';
create index events_revoked on payment_retry.events (account, created_at) where results->0->>'code' = 'access_revoked';
create index events_with_body on payment_retry.events (created_at)
  where payload is not null and processed_at is not null and results->0->>'code' <> 'dead';
create index events_without_body on payment_retry.events (created_at) where payload is null;
create index events_of_person on payment_retry.events (account, person) where payload is not null;
create index events_waiting on payment_retry.events (account, is_apart, received_at, id) where processed_at is null;

-- lz4 takes a third of the time that pglz does. PostgreSQL 13, and one that was built without it (the embedded database is), keep pglz.
do $$ begin
  execute 'alter table payment_retry.events alter column payload set compression lz4';
exception when feature_not_supported or syntax_error then null;
end $$;

-- Columns that the next two tables share; dropped after them.
create table payment_retry.told (
  -- Why it has no message although it should have one, as a code with parameters.
  unmapped_reason   jsonb,
  -- A person has mended the cause: the object is to be read again.
  is_reread_asked   boolean     not null default false,
  message           jsonb,
  version           timestamptz not null,
  -- `event` or `read`: which of the two gave the version.
  version_source    text        not null,
  delivered_version timestamptz,
  delivered_request text,
  refused_version   timestamptz,
  refused_answer    text,
  -- How often in a row the service answered its delivery with a success that says nothing of the kind; `refused_answer` has the last one.
  odd_answers       integer     not null default 0,
  -- The refused version that a person does not want delivered.
  dismissed_version timestamptz,
  claimed_until     timestamptz,
  claimed_by        integer,
  -- The last run that gave the row something new to tell the service.
  backfill_run      bigint
);

-- The mirror of each subscription, and the latest message about it to the service. Dirty, that is to be delivered: `version`
-- differs from `delivered_version`. `message` lacks `updatedAt`, which is `version`, so that it never goes back for one subscription.
-- Kept: for ever.
create table payment_retry.subscriptions (
  account           text        not null,
  id                text        not null,
  customer_id       text        not null,
  status            text        not null,
  like payment_retry.told including defaults,
  -- A payment method that its customer took away, or whose mandate ended: the renewal cannot be charged on it.
  lost_method       text,
  primary key (account, id)
);
create index subscriptions_customer on payment_retry.subscriptions (account, customer_id);
create index subscriptions_renewal on payment_retry.subscriptions
  ((message->>'expiresAt')) where status in ('active', 'trialing');
create index subscriptions_lost on payment_retry.subscriptions (account, lost_method) where lost_method is not null;
create index subscriptions_dirty on payment_retry.subscriptions (account, version)
  where message is not null and coalesce(version <> delivered_version, true);
create index subscriptions_unmapped on payment_retry.subscriptions (account, id) where unmapped_reason is not null;

-- The mirror of each invoice, and the latest message about it; delivered as subscriptions are.
-- Kept: for HISTORY_DAYS after it was settled, and as long as anything needs it.
create table payment_retry.invoices (
  account           text        not null,
  id                text        not null,
  number            text,
  customer_id       text        not null,
  subscription_id   text,
  status            text        not null,
  amount_remaining  bigint      not null,
  -- What was to be paid, without credit notes on the open debt. Nothing was paid where it is 0.
  amount_due        bigint,
  currency          text        not null,
  attempt_count     integer     not null,
  next_attempt_at   timestamptz,
  -- The one that began its subscription: no renewal.
  is_first          boolean     not null default false,
  like payment_retry.told including defaults,
  primary key (account, id)
);
drop table payment_retry.told;
create index invoices_customer on payment_retry.invoices (account, customer_id);
create index invoices_subscription on payment_retry.invoices (account, subscription_id);
create index invoices_dirty on payment_retry.invoices (account, version)
  where message is not null and coalesce(version <> delivered_version, true);
create index invoices_unmapped on payment_retry.invoices (account, id) where unmapped_reason is not null;
create index invoices_settled on payment_retry.invoices (version, account, id)
  where status in ('paid', 'void', 'uncollectible', 'deleted');

-- Every attempt on an invoice, ours and Stripe's own; both flows meet here. The row of ours is written before the call to Stripe.
-- Kept: with its invoice.
create table payment_retry.attempts (
  id                uuid        primary key,
  account           text        not null,
  invoice_id        text        not null,
  customer_id       text,
  subscription_id   text,
  action_id         uuid,
  -- `ours` or `stripe`.
  source            text        not null,
  attempt_number    integer,
  idempotency_key   text        unique,
  payment_method    text,
  method_type       text,
  fingerprint       text,
  brand             text,
  -- Until when the card is good, as `2030-04`: the same number with another expiry is a card that was renewed.
  card_expiry       text,
  amount            bigint,
  currency          text,
  charge_id         text,
  -- Stripe's payment, which the attempts on an invoice may share.
  payment_intent    text,
  started_at        timestamptz not null,
  finished_at       timestamptz,
  -- How often Stripe was asked under the idempotency key.
  calls             integer     not null default 0,
  -- And when last.
  called_at         timestamptz,
  -- Null while it is unknown.
  outcome           text,
  code              text,
  decline_code      text,
  advice_code       text,
  network_code      text,
  network_advice    text,
  -- Stripe's message and nothing else.
  detail            text,
  -- Of a payment: what Stripe has given back of it.
  refunded          bigint      not null default 0,
  refunded_at       timestamptz,
  message           jsonb,
  version           timestamptz,
  delivered_version timestamptz,
  delivered_request text,
  refused_version   timestamptz,
  refused_answer    text,
  odd_answers       integer     not null default 0,
  dismissed_version timestamptz,
  claimed_until     timestamptz,
  claimed_by        integer,
  backfill_run      bigint
);
create unique index attempts_charge on payment_retry.attempts (account, charge_id) where charge_id is not null;
create unique index attempts_number on payment_retry.attempts (account, invoice_id, attempt_number);
create index attempts_invoice on payment_retry.attempts (account, invoice_id, started_at);
create index attempts_fingerprint on payment_retry.attempts (account, fingerprint, started_at);
create index attempts_unknown on payment_retry.attempts (started_at) where outcome is null;
create index attempts_customer on payment_retry.attempts (account, customer_id, started_at) where source = 'ours';
create index attempts_paid on payment_retry.attempts (account, subscription_id, started_at) where outcome = 'paid';
create index attempts_dirty on payment_retry.attempts (account, version)
  where message is not null and coalesce(version <> delivered_version, true);

-- The planner keeps figures of an expression, but of `is distinct from` it believes that nearly every row fits.
create statistics payment_retry.subscriptions_to_deliver on (coalesce(version <> delivered_version, true)) from payment_retry.subscriptions;
create statistics payment_retry.invoices_to_deliver on (coalesce(version <> delivered_version, true)) from payment_retry.invoices;
create statistics payment_retry.attempts_to_deliver on (coalesce(version <> delivered_version, true)) from payment_retry.attempts;

-- A dispute outlasts every later state of its invoice.
-- Kept: for ever, and its invoice with it.
create table payment_retry.disputes (
  account    text        not null,
  id         text        not null,
  invoice_id text        not null,
  -- Stripe's.
  reason     text        not null,
  status     text        not null,
  amount     bigint      not null,
  opened_at  timestamptz not null,
  closed_at  timestamptz,
  primary key (account, id)
);
create index disputes_invoice on payment_retry.disputes (account, invoice_id);

-- Cards whose holder denied a payment: a dispute for fraud, or an early fraud warning. A row that is lifted lifts all about its charge.
-- Kept: for ever; one that was lifted, for HISTORY_DAYS.
create table payment_retry.card_warnings (
  account        text        not null,
  id             text        not null,
  charge_id      text        not null,
  fingerprint    text,
  payment_method text,
  opened_at      timestamptz not null,
  lifted_at      timestamptz,
  primary key (account, id)
);
create index card_warnings_card on payment_retry.card_warnings (account, fingerprint);
create index card_warnings_method on payment_retry.card_warnings (account, payment_method);
create index card_warnings_charge on payment_retry.card_warnings (account, charge_id) where lifted_at is not null;

-- Who pays, as Stripe's events about failed payments tell.
-- Kept: while a failure names the customer.
create table payment_retry.customers (
  account text not null,
  id      text not null,
  name    text,
  email   text,
  primary key (account, id)
);

-- With what a failed payment was tried.
-- Kept: while a failure names the card.
create table payment_retry.cards (
  account text not null,
  id      text not null,
  last4   text,
  country text,
  primary key (account, id)
);

-- What a failed payment was for.
-- Kept: for ever.
create table payment_retry.plans (
  account text not null,
  id      text not null,
  name    text not null,
  product text,
  primary key (account, id)
);

-- Accounts connected to ours that something came from, or that the settings list. Both times are Stripe's and only ever grow, so
-- that it does not matter in which order their events come.
-- Kept: for ever.
create table payment_retry.accounts (
  account         text        primary key,
  first_seen_at   timestamptz not null,
  authorized_at   timestamptz,
  deauthorized_at timestamptz
);

-- Up to where each list was read.
-- Kept: for ever.
create table payment_retry.cursors (
  account    text        not null,
  name       text        not null,
  value      text        not null,
  updated_at timestamptz not null,
  primary key (account, name)
);

-- One reading of all that Stripe has, to store it or, a `verification`, to compare only. At most one of each sort is open for an
-- account; it is continued until it is finished.
-- Kept: the last of its kind; earlier ones for HISTORY_DAYS.
create table payment_retry.backfill_runs (
  id          bigint      generated always as identity primary key,
  account     text        not null,
  kind        text        not null,
  months      integer     not null,
  per_second  integer     not null,
  started_at  timestamptz not null,
  finished_at timestamptz,
  failures    integer     not null default 0,
  -- What interrupted it, as a code with parameters.
  reason      jsonb
);
create unique index backfill_runs_open on payment_retry.backfill_runs (account, (kind = 'verification')) where finished_at is null;

-- Range of one reader, newest first: `to_second` and `after_id` are its position, `top_second` its start. A page's rows, its counts
-- and the position commit together.
-- Kept: with its run.
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
  skipped     bigint      not null default 0
);
create index backfill_ranges_run on payment_retry.backfill_ranges (run, list);

-- Which invoice a payment intent (or charge) pays, as charges no longer say (stripe-facts 3.3).
-- Kept: while the run lasts.
create table payment_retry.backfill_payments (
  run        bigint not null,
  payment    text   not null,
  invoice_id text   not null,
  primary key (run, payment)
);

-- What a run saw at Stripe: invoices that are open or drafts, and charges that we made.
-- Kept: while the run lasts.
create table payment_retry.backfill_seen (
  run bigint not null,
  id  text   not null,
  primary key (run, id)
);

-- Differences between the database and Stripe, found by a verification. Each is checked again minutes later; if it is gone, the
-- change was on its way, and its row is deleted.
-- Kept: with its run.
create table payment_retry.drifts (
  run          bigint      not null,
  -- `subscriptions`, `invoices`, `charges`, `attempts` (of ours) or `actions`.
  kind         text        not null,
  id           text        not null,
  found_at     timestamptz not null,
  confirmed_at timestamptz,
  -- Stored and Stripe's value by column: `{"status": ["open", "paid"]}`.
  difference   jsonb,
  primary key (run, kind, id)
);

-- 2. Service to Stripe: instructions, due actions, attempts and obstacles.

-- An instruction of the service for one invoice.
-- Kept: with its invoice; the body for RETENTION_DAYS after it was handled.
create table payment_retry.instructions (
  account         text        not null,
  request_id      text        not null,
  position        bigint      generated always as identity,
  -- `callback`, `listing` or `signal`.
  source          text        not null,
  received_at     timestamptz not null,
  -- When the service gave it, which for a listed one is before it was seen. Never goes back with `position` among those that came
  -- by callback, so that their order of arrival is kept though the clock was moved back.
  issued_at       timestamptz not null,
  type            text        not null,
  invoice_id      text,
  subscription_id text,
  suggestion      text,
  ideal_retry_at  timestamptz,
  body            text        not null,
  state           text        not null,
  -- What became of it, as a code with parameters, such as `{"code": "newer_instruction"}`.
  reason          jsonb,
  handled_at      timestamptz,
  -- Outcome last reported to a service that accepts such reports, or `postponed` with the time in seconds since 1970.
  reported        text,
  primary key (account, request_id)
);
create index instructions_unreported on payment_retry.instructions (account, received_at)
  where type = 'suggestion' and (reported is null or reported like 'postponed%' or reported like 'undecided%');
create index instructions_retries on payment_retry.instructions (ideal_retry_at) where suggestion = 'ACTION_SUGGESTION_RETRY';
create index instructions_invoice on payment_retry.instructions (account, invoice_id, position);
create index instructions_unhandled on payment_retry.instructions (received_at) where handled_at is null;
create index instructions_waiting on payment_retry.instructions (account, invoice_id) where handled_at is null;
create index instructions_in_force on payment_retry.instructions (account, invoice_id, issued_at, position)
  where type = 'stop' or state = 'scheduled';
create index instructions_unknown on payment_retry.instructions (handled_at)
  where state = 'refused' and reason->>'code' = 'invoice_unknown';
create index instructions_failed on payment_retry.instructions (position) where state = 'failed';
create index instructions_with_body on payment_retry.instructions (handled_at) where body <> '' and state <> 'failed';

-- The service's listing, one row a record.
-- Kept: with its invoice.
create table payment_retry.recovery_actions (
  account           text        not null,
  id                text        not null,
  position          bigint      generated always as identity,
  request_id        text,
  invoice_id        text,
  subscription_id   text,
  type              text,
  status            text,
  suggestion        text,
  ideal_retry_at    timestamptz,
  created_at        timestamptz,
  executed_at       timestamptz,
  record_updated_at timestamptz,
  body              text        not null,
  problem           text,
  -- `waiting` to be applied as an instruction, `applied`, `known` (its callback had come), `history`, or `unreadable`, with the `problem`.
  fate              text        not null,
  first_seen_at     timestamptz not null,
  updated_at        timestamptz not null,
  primary key (account, id)
);
create index recovery_actions_invoice on payment_retry.recovery_actions (account, invoice_id);
create index recovery_actions_waiting on payment_retry.recovery_actions (account, created_at) where fate = 'waiting';

-- The embedded service's latest decision on each failed invoice.
-- Kept: with its invoice.
create table payment_retry.recovery_cases (
  account               text        not null,
  invoice_id            text        not null,
  -- The service's number of the decision, up to which its decisions are read.
  revision              bigint      not null,
  state                 text        not null,
  reason                text        not null,
  -- As JSON text.
  reasons               text        not null,
  review_at             timestamptz,
  is_on_static_schedule boolean     not null,
  -- In an experiment: the share of the customers in the control group.
  drawn_percent         int,
  opened_at             timestamptz not null,
  updated_at            timestamptz not null,
  primary key (account, invoice_id)
);
create index recovery_cases_revision on payment_retry.recovery_cases (account, revision);

-- One due piece of work. `cause` and `reference` name what asked for it and make asking twice harmless.
-- Kept: with its invoice.
create table payment_retry.actions (
  id              uuid        primary key,
  account         text        not null,
  cause           text        not null,
  reference       text        not null,
  kind            text        not null,
  -- Null for an email before a renewal: its invoice does not exist yet, and it is about the subscription.
  invoice_id      text,
  customer_id     text,
  subscription_id text,
  request_id      text,
  payment_method  text,
  due_at          timestamptz not null,
  -- `scheduled`, `running`, `closed`, or `undecided`: a payment above the limits of new cards waits for a person.
  state           text        not null,
  -- What became of it, as a code with parameters.
  reason          jsonb,
  claimed_until   timestamptz,
  claimed_by      integer,
  created_at      timestamptz not null,
  closed_at       timestamptz,
  check (invoice_id is not null or subscription_id is not null)
);
create unique index actions_asked on payment_retry.actions (account, cause, reference, coalesce(invoice_id, subscription_id));
create index actions_invoice on payment_retry.actions (account, invoice_id);
create index actions_renewal on payment_retry.actions (account, subscription_id) where invoice_id is null;
create index actions_open on payment_retry.actions (due_at) where state in ('scheduled', 'running');
-- One action at a time for a customer: parallel calls would lock each other out at Stripe (stripe-facts 3.10).
create unique index actions_single_flight on payment_retry.actions (account, customer_id) where state = 'running';
create index actions_undecided on payment_retry.actions (account, invoice_id) where state = 'undecided';
create index actions_refused on payment_retry.actions (account) where state = 'scheduled' and reason->>'code' = 'access_refused';

-- Emails about an invoice, each once.
-- Kept: with its invoice; address and contents for RETENTION_DAYS.
create table payment_retry.emails (
  account     text        not null,
  invoice_id  text,
  -- Before a renewal, when there is no invoice yet.
  subscription_id text,
  template    text        not null,
  step        text        not null,
  recipient   text        not null,
  -- More addresses that it went to, each as `sent` or `refused`.
  copies      jsonb       not null default '{}',
  message_id  text        not null,
  state       text        not null,
  detail      text,
  subject     text,
  -- Without the token of its link: a link is a way in.
  body_text   text,
  body_html   text,
  -- Until then, a last notice says, nothing is ended.
  promised_at timestamptz,
  -- Every invoice that it is about; `invoice_id` is the one that it was asked for.
  named       text[]      not null,
  -- The first email of those that ask for the same debts, by its step.
  campaign    text        not null,
  -- Which of those it is: `first`, `reminder` or `last`; and the language of its texts.
  notice      text        not null default 'first',
  language    text        not null default 'en',
  -- The connected account on whose behalf it asks; null for the account's own.
  seller      text,
  created_at  timestamptz not null,
  sent_at     timestamptz,
  -- When the page behind its link was first read, by whomever, and when its button was first pressed.
  opened_at   timestamptz,
  continued_at timestamptz,
  primary key (step, account, template),
  check (num_nonnulls(invoice_id, subscription_id) = 1)
);
create index emails_invoice on payment_retry.emails (account, invoice_id);
create index emails_addressed on payment_retry.emails (sent_at) where recipient <> '';
create index emails_sent on payment_retry.emails (sent_at) where state = 'sent';
create index emails_latest on payment_retry.emails (created_at desc, step);
create index emails_not_sent on payment_retry.emails (created_at desc, step) where state <> 'sent';
create index emails_sending on payment_retry.emails (created_at) where state = 'sending';
create index emails_recipient on payment_retry.emails (lower(recipient), created_at desc, step);
create index emails_renewal on payment_retry.emails (account, subscription_id) where invoice_id is null;
create index emails_named on payment_retry.emails using gin (named);
create index emails_campaign on payment_retry.emails (campaign);

-- A person's word on an invoice. Held: nobody collects it. Released: what stood in the way before that is forgiven.
-- Under a customer's id: all invoices are held, present and future, until the row is deleted.
-- Kept: with its invoice; a customer's until collection resumes.
create table payment_retry.holds (
  account     text        not null,
  invoice_id  text        not null,
  reason      text        not null,
  held_at     timestamptz,
  released_at timestamptz,
  primary key (account, invoice_id)
);

-- The hold in force on an invoice, its own or its customer's. A release of the invoice after the customer's hold counts.
create function payment_retry.hold_on(of_account text, of_invoice text, of_customer text default null)
returns setof payment_retry.holds language sql stable as $$
  select h.* from payment_retry.holds h
  where h.account = of_account and h.invoice_id in (of_invoice, coalesce(of_customer,
      (select customer_id from payment_retry.invoices where account = of_account and id = of_invoice)))
    and (h.invoice_id = of_invoice or h.released_at is null)
  order by (h.invoice_id = of_invoice and h.released_at is null) desc, coalesce(h.released_at, h.held_at) desc limit 1
$$;

-- Date until which a person wants an invoice neither charged nor emailed about.
-- Kept: with its invoice.
create table payment_retry.postponements (
  account    text        not null,
  invoice_id text        not null,
  until      timestamptz not null,
  note       text,
  primary key (account, invoice_id)
);

-- Invoices whose automatic collection by Stripe we ended (`exclusive` mode), until they are given back.
-- Kept: with its invoice.
create table payment_retry.takeovers (
  account        text        not null,
  invoice_id     text        not null,
  taken_over_at  timestamptz not null,
  -- A person stopped the invoice; its release hands it back.
  is_stop        boolean     not null default false,
  handed_back_at timestamptz,
  -- When giving it back was last refused: it is looked at again a day later.
  kept_at        timestamptz,
  primary key (account, invoice_id)
);
create index takeovers_held on payment_retry.takeovers (taken_over_at) where handed_back_at is null;

-- Payments that Stripe's retry signal was asked to watch (RETRY_SIGNAL), one an invoice, and what it last said.
-- Kept: with its invoice.
create table payment_retry.signals (
  account        text        not null,
  invoice_id     text        not null,
  payment_intent text        not null,
  -- Stripe's evaluation; null where it made none.
  evaluation_id  text,
  -- As Stripe has it: `monitoring`, `completed`, `expired`, `canceled`. Ours: `passed` over or ended by us, `refused` for this
  -- payment, `unavailable` to the account, `gone`.
  status         text        not null,
  -- Why it is not watched, as a code with parameters.
  reason         jsonb,
  -- The latest recommendation: `retry_now`, `wait` or `give_up`, with Stripe's sentence.
  signal_id      text,
  action         text,
  because        text,
  signal_at      timestamptz,
  looked_at      timestamptz not null,
  primary key (account, invoice_id)
);
create index signals_watched on payment_retry.signals (looked_at) where status = 'monitoring';
create index signals_looked on payment_retry.signals (account, looked_at);

-- Customers of the comparison with Stripe's own retries, drawn at their first failure in it: whose retries their invoices get,
-- `ours`, `stripe`, or `signal` (ours with Stripe's retry signal), from then on until it ended, and with which chances in percent.
-- Kept: as long as the installation.
create table payment_retry.lots (
  account     text        not null,
  customer_id text        not null,
  arm         text        not null,
  -- Of `stripe`.
  percent     integer     not null,
  -- RETRY_MODE: `exclusive` compares instead of Stripe's retries, `advisory` on top of them.
  mode        text        not null,
  drawn_at    timestamptz not null,
  ended_at    timestamptz,
  primary key (account, customer_id)
);

-- Invoices that the service has given up, in `exclusive` mode. Without a planned action it is a person who decides.
-- Kept: with its invoice.
create table payment_retry.endings (
  account     text        not null,
  invoice_id  text        not null,
  given_up_at timestamptz not null,
  reason      jsonb       not null,
  -- Stripe was asked for what AFTER_GIVING_UP says.
  started_at  timestamptz,
  -- It was done.
  ended_at    timestamptz,
  primary key (account, invoice_id)
);
create index endings_open on payment_retry.endings (given_up_at) where ended_at is null;

-- The kill switch: one account, or '*' for all of them. While a row is there, nothing is paid, emailed or written to Stripe for the
-- account; what comes in is received, mapped, forwarded and planned, and what falls due waits.
-- Kept: until a person resumes.
create table payment_retry.pauses (
  account   text        primary key,
  reason    text        not null,
  paused_by text        not null,
  paused_at timestamptz not null
);

-- How many charges the whole installation began in each minute, for the ceiling of charges.
-- Kept: for an hour.
create table payment_retry.charge_minutes (
  minute  timestamptz primary key,
  charges integer     not null
);

-- 3. For people: failed invoices to search, the audit, and events for the host application.

-- A failed invoice, drawn together from the other tables, never written by what collects. Times of failure and end are those of
-- the payments.
-- Kept: with its invoice.
create table payment_retry.failures (
  account         text        not null,
  invoice_id      text        not null,
  customer_id     text,
  subscription_id text,
  plan            text,
  currency        text        not null,
  -- Amount due at the failure.
  amount          bigint      not null,
  -- Refunds and lost disputes after recovery.
  returned        bigint      not null default 0,
  -- In open disputes about it.
  disputed        bigint      not null default 0,
  -- `open`, `recovered` or `lost`.
  state           text        not null,
  -- What recovered it.
  cause           text,
  failed_at       timestamptz not null,
  ended_at        timestamptz,
  attempts        integer     not null,
  -- Of the latest failure.
  reason          text,
  payment_method  text,
  brand           text,
  country         text,
  next_kind       text,
  -- The earliest planned action.
  next_at         timestamptz,
  -- Why a person is needed; null while nobody is.
  need            text,
  -- A person has stopped it, and so decided.
  is_stopped      boolean     not null default false,
  -- Last email request to the customer, and Stripe's own next attempt.
  asked_at        timestamptz,
  stripe_at       timestamptz,
  words           tsvector    not null,
  -- As the chip of lists says it.
  standing        text        not null generated always as (case
    when state = 'recovered' then 'recovered'
    when state = 'lost' then 'lost'
    when is_stopped then 'stopped'
    when need is not null then 'needs_attention'
    when next_kind is not distinct from 'pay' or stripe_at is not null then 'retry'
    when asked_at is not null then 'asked'
    else 'waiting' end) stored,
  primary key (account, invoice_id)
);
create index failures_failed on payment_retry.failures (failed_at desc, invoice_id)
  include (account, state, currency, amount, returned, next_kind, reason, brand, country, plan, ended_at);
create index failures_recovered on payment_retry.failures (ended_at) include (currency, amount, returned, cause) where state = 'recovered';
create index failures_standing on payment_retry.failures (standing, failed_at desc, invoice_id) include (currency, amount);
create index failures_reason on payment_retry.failures (reason, failed_at desc, invoice_id);
create index failures_brand on payment_retry.failures (brand, failed_at desc, invoice_id);
create index failures_country on payment_retry.failures (country, failed_at desc, invoice_id);
create index failures_plan on payment_retry.failures (plan, failed_at desc, invoice_id);
create index failures_currency on payment_retry.failures (currency, failed_at desc, invoice_id);
create index failures_amount on payment_retry.failures (currency, amount desc, invoice_id);
create index failures_next on payment_retry.failures (next_at, invoice_id)
  include (account, state, currency, amount, next_kind)
  where next_at is not null;
create index failures_need on payment_retry.failures (need, failed_at desc, invoice_id) include (currency, amount) where need is not null;
create index failures_customer on payment_retry.failures (account, customer_id, failed_at desc);
create index failures_words on payment_retry.failures using gin (words);
-- Who has unpaid invoices is read from this index alone, in order.
create index failures_open on payment_retry.failures (failed_at desc, invoice_id)
  include (account, customer_id, currency, amount, next_kind)
  where state = 'open';

-- Who pays them: customers are listed from it.
-- Kept: with its failures.
create table payment_retry.payers (
  account         text        not null,
  customer_id     text        not null,
  -- Of the latest failure.
  failed_at       timestamptz not null,
  currency        text        not null,
  -- Net of refunds and lost disputes, in that currency: nearly all customers have one.
  unpaid          bigint      not null,
  recovered       bigint      not null,
  -- In all.
  unpaid_invoices bigint      not null,
  primary key (account, customer_id)
);
create index payers_failed on payment_retry.payers (failed_at desc, customer_id);
create index payers_open on payment_retry.payers (failed_at desc, customer_id) where unpaid_invoices > 0;
create index payers_open_unpaid on payment_retry.payers (currency, unpaid desc, customer_id) where unpaid_invoices > 0;
create index payers_unpaid on payment_retry.payers (currency, unpaid desc, customer_id);
create index payers_recovered on payment_retry.payers (currency, recovered desc, customer_id);

-- A trigger, so that a customer's sums follow every write to failures. A second writer of the same customer waits and then sees the
-- first one's result.
create function payment_retry.refresh_payers() returns trigger language plpgsql as $$
declare
  accounts text[];
  customers text[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(k.account), array_agg(k.customer_id) into accounts, customers
    from (select account, customer_id from changed union select account, customer_id from was order by 1, 2) k where k.customer_id is not null;
  else
    select array_agg(k.account), array_agg(k.customer_id) into accounts, customers
    from (select distinct account, customer_id from changed where customer_id is not null order by 1, 2) k;
  end if;
  perform from payment_retry.payers p where (p.account, p.customer_id) in (select * from unnest(accounts, customers))
    order by p.account, p.customer_id for update;
  delete from payment_retry.payers p using unnest(accounts, customers) k (account, customer_id)
  where p.account = k.account and p.customer_id = k.customer_id
    and not exists (select from payment_retry.failures f where f.account = k.account and f.customer_id = k.customer_id);
  insert into payment_retry.payers as p (account, customer_id, failed_at, currency, unpaid, recovered, unpaid_invoices)
  select k.account, k.customer_id, latest.failed_at, latest.currency, sums.unpaid, sums.recovered, sums.invoices
  from unnest(accounts, customers) k (account, customer_id)
  cross join lateral (select f.failed_at, f.currency from payment_retry.failures f
    where f.account = k.account and f.customer_id = k.customer_id order by f.failed_at desc, f.invoice_id limit 1) latest
  cross join lateral (select count(*) filter (where f.state = 'open') as invoices,
      coalesce(sum(f.amount) filter (where f.state = 'open' and f.currency = latest.currency), 0) as unpaid,
      coalesce(sum(f.amount - f.returned) filter (where f.state = 'recovered' and f.currency = latest.currency), 0) as recovered
    from payment_retry.failures f where f.account = k.account and f.customer_id = k.customer_id) sums
  on conflict (account, customer_id) do update set failed_at = excluded.failed_at, currency = excluded.currency,
    unpaid = excluded.unpaid, recovered = excluded.recovered, unpaid_invoices = excluded.unpaid_invoices
  where p is distinct from excluded;
  return null;
end $$;
create trigger refresh_payers_added after insert on payment_retry.failures
  referencing new table as changed for each statement execute function payment_retry.refresh_payers();
create trigger refresh_payers_changed after update on payment_retry.failures
  referencing old table as was new table as changed for each statement execute function payment_retry.refresh_payers();
create trigger refresh_payers_removed after delete on payment_retry.failures
  referencing old table as changed for each statement execute function payment_retry.refresh_payers();

-- Months whose failures are added up: from then on each change of a failure is added to the sums of its months.
-- Kept: until another time zone or another exchange rate is set.
create table payment_retry.failure_months (
  zone      text        not null,
  -- By currency: the value of its smallest unit in that of the report's currency.
  rates     jsonb       not null,
  starts_at timestamptz not null,
  ends_at   timestamptz not null,
  primary key (zone, starts_at)
);

-- Their sums, by currency. An amount is net of refunds and lost disputes, converted and rounded invoice by invoice.
-- Kept: with their month.
create table payment_retry.failure_month_sums (
  starts_at timestamptz not null,
  -- `all`: by state, and a recovery by its cause; `reason` to `plan`: by that value; `failed`: by day; `paid`: what failed in the month
  -- and was paid in it, by day; `back`: what was paid in the month.
  dimension text        not null,
  value     text,
  currency  text        not null,
  state     text        not null,
  invoices  bigint      not null,
  amount    bigint      not null,
  -- Recovered invoices with an open dispute, and the amount in dispute.
  disputes  bigint      not null,
  disputed  bigint      not null
) with (fillfactor = 70);
create unique index failure_month_sums_month on payment_retry.failure_month_sums (starts_at, dimension, coalesce(value, ''), currency, state);

-- The query that adds up rows of failures by month; with `sign` -1 it takes them away.
create function payment_retry.month_sums_of(failures text, months text) returns text language sql immutable as $$
  select format($q$
    select starts_at, dimension, value, currency, state, sum(sign)::bigint as invoices, sum(sign * amount)::bigint as amount,
      sum(sign * (disputed > 0)::integer)::bigint as disputes, sum(sign * disputed)::bigint as disputed
    from (
      select m.starts_at, of.dimension, of.value, f.currency, f.sign, of.state,
        round((f.amount - f.returned) * coalesce((m.rates->>f.currency)::numeric, 1)) as amount,
        case f.state when 'recovered' then round(f.disputed * coalesce((m.rates->>f.currency)::numeric, 1)) else 0 end as disputed
      from (%1$s) f
      join (%2$s) m on f.failed_at >= m.starts_at and f.failed_at < m.ends_at
        or f.state = 'recovered' and f.ended_at >= m.starts_at and f.ended_at < m.ends_at
      cross join lateral (select f.failed_at >= m.starts_at and f.failed_at < m.ends_at as began,
        f.state = 'recovered' and f.ended_at >= m.starts_at and f.ended_at < m.ends_at as ended) it
      cross join lateral (values
        (it.began, 'all', f.cause, f.state), (it.began, 'reason', f.reason, f.state), (it.began, 'brand', f.brand, f.state),
        (it.began, 'country', f.country, f.state), (it.began, 'plan', f.plan, f.state),
        (it.began, 'failed', to_char(f.failed_at at time zone m.zone, 'YYYY-MM-DD'), ''),
        (it.began and it.ended, 'paid', to_char(f.ended_at at time zone m.zone, 'YYYY-MM-DD'), 'recovered'),
        (it.ended, 'recovered', null, 'recovered')) of (holds, dimension, value, state)
      where of.holds) s
    group by 1, 2, 3, 4, 5
    having sum(sign) <> 0 or sum(sign * amount) <> 0 or sum(sign * disputed) <> 0 order by 1, 2, 3, 4, 5
  $q$, failures, months)
$$;

-- The sums of one month, read from its failures.
create function payment_retry.sum_month(zone text, rates jsonb, since timestamptz, until timestamptz)
returns table (starts_at timestamptz, dimension text, value text, currency text, state text, invoices bigint, amount bigint, disputes bigint, disputed bigint)
language plpgsql stable as $$
begin
  return query execute payment_retry.month_sums_of(
    'select 1 as sign, * from payment_retry.failures where failed_at >= $3 and failed_at < $4 or state = ''recovered'' and ended_at >= $3 and ended_at < $4',
    'select $1 as zone, $2 as rates, $3 as starts_at, $4 as ends_at') using zone, rates, since, until;
end $$;

-- Nobody else may add to a month meanwhile: the lock, which every change of failures takes, too, is taken before.
create function payment_retry.keep_month(of_zone text, of_rates jsonb, since timestamptz, until timestamptz) returns void language plpgsql as $$
begin
  delete from payment_retry.failure_month_sums s where s.starts_at = since or s.starts_at in
    (select m.starts_at from payment_retry.failure_months m where m.zone <> of_zone or m.rates <> of_rates);
  delete from payment_retry.failure_months m where m.zone <> of_zone or m.rates <> of_rates;
  insert into payment_retry.failure_months values (of_zone, of_rates, since, until);
  insert into payment_retry.failure_month_sums select * from payment_retry.sum_month(of_zone, of_rates, since, until);
end $$;

-- Stays in the database, so that a month's sums follow every failure that is written, erased or corrected.
create function payment_retry.add_to_months() returns trigger language plpgsql as $$
begin
  lock table payment_retry.failure_months in row exclusive mode;
  execute 'insert into payment_retry.failure_month_sums as s ' || payment_retry.month_sums_of(case tg_op
    when 'INSERT' then 'select 1 as sign, * from changed'
    when 'DELETE' then 'select -1 as sign, * from was'
    else 'select 1 as sign, * from changed union all select -1, * from was' end, 'select * from payment_retry.failure_months') ||
    'on conflict (starts_at, dimension, coalesce(value, ''''), currency, state) do update
     set invoices = s.invoices + excluded.invoices, amount = s.amount + excluded.amount,
       disputes = s.disputes + excluded.disputes, disputed = s.disputed + excluded.disputed';
  return null;
end $$;
create trigger add_to_months_added after insert on payment_retry.failures
  referencing new table as changed for each statement execute function payment_retry.add_to_months();
create trigger add_to_months_changed after update on payment_retry.failures
  referencing old table as was new table as changed for each statement execute function payment_retry.add_to_months();
create trigger add_to_months_removed after delete on payment_retry.failures
  referencing old table as was for each statement execute function payment_retry.add_to_months();

-- Invoices whose row in `failures` is to be refreshed. Writers only insert here, in their own transaction, and never wait.
-- Kept: until the sweep has drawn the row.
create table payment_retry.failure_changes (
  id         bigint generated always as identity primary key,
  account    text   not null,
  invoice_id text   not null
);

-- Who did what: instruction, guard that stopped it, attempt, email, a person's operation.
-- Kept: with its invoice; what concerns no invoice for HISTORY_DAYS.
create table payment_retry.audit (
  id         bigint      generated always as identity primary key,
  account    text        not null,
  at         timestamptz not null,
  invoice_id text,
  -- Before a renewal, when there is no invoice yet.
  subscription_id text,
  kind       text        not null,
  detail     jsonb       not null
);
create index audit_renewal on payment_retry.audit (subscription_id, account, id) where subscription_id is not null;
create index audit_invoice on payment_retry.audit (invoice_id, account, id);
create index audit_people on payment_retry.audit (id) where detail ? 'by';
create index audit_sign_ins on payment_retry.audit (id) where kind in ('operator.signed_in', 'operator.signed_out', 'operator.sign_in_failed');
create index audit_erasures on payment_retry.audit (id) where kind in ('customer.forgotten', 'customer.erased');
create index audit_undeliverable on payment_retry.audit (account, invoice_id, id) where kind = 'email.undeliverable';
create index audit_observed on payment_retry.audit (kind, invoice_id, at) where starts_with(kind, 'observed.');

-- What needs a person's attention, by the code that `status` has for it.
-- Kept: while it is seen.
create table payment_retry.alerts (
  concern      text        primary key,
  since        timestamptz not null,
  last_seen_at timestamptz not null
);

-- Receivers of events: handlers of the host application (`host`), an address (`webhook`). Events before `opened_at`, as a backfill
-- finds them, are not reported.
-- Kept: while it is configured.
create table payment_retry.event_channels (
  channel   text        primary key,
  opened_at timestamptz not null
);

-- Events to be delivered, a row for each channel, written in the transaction of their cause.
-- Kept until it is reported.
create table payment_retry.host_events (
  id         bigint      generated always as identity primary key,
  channel    text        not null,
  event_id   uuid        not null,
  type       text        not null,
  account    text        not null,
  invoice_id text,
  at         timestamptz not null,
  detail     jsonb       not null,
  tries      integer     not null default 0,
  next_at    timestamptz not null,
  problem    text,
  dead_at    timestamptz
);
create index host_events_due on payment_retry.host_events (channel, next_at) where dead_at is null;
create index host_events_dead on payment_retry.host_events (dead_at) where dead_at is not null;

-- Customers whose access may have changed. Readers keep answers in memory and drop those of customers named here since their last
-- look; by transaction, so that one that commits late is not missed.
-- Kept: for minutes, until the job has looked, too.
create table payment_retry.access_changes (
  id        bigint      generated always as identity primary key,
  account   text        not null,
  customers text[]      not null,
  xid       bigint      not null default pg_current_xact_id()::text::bigint,
  at        timestamptz not null default clock_timestamp(),
  is_noted  boolean     not null default false
);
create index access_changes_xid on payment_retry.access_changes (xid);
create index access_changes_waiting on payment_retry.access_changes (id) where not is_noted;

-- Customers whose access has ended, or will end at a known time, as the host was last notified.
-- Kept: until access has no end again.
create table payment_retry.access (
  account     text        not null,
  customer_id text        not null,
  is_allowed  boolean     not null,
  until       timestamptz,
  primary key (account, customer_id)
);
create index access_until on payment_retry.access (until) where is_allowed;

-- 4. Access and processes.

-- Who is at work on this database. A process holds a session lock under its number, which ends with it. `missing_since` is set once
-- the lock was seen free. Seconds by which clocks differ, where it is a minute or more.
-- Kept: until its claims are given back.
create table payment_retry.processes (
  id                integer     generated by default as identity primary key,
  started_at        timestamptz not null,
  version           text,
  missing_since     timestamptz,
  ahead_of_database integer,
  ahead_of_stripe   integer
);

-- Webhooks that were refused, by cause: `unsigned`, `secret`, `time`, `body`.
-- Kept: for 7 days.
create table payment_retry.refused_webhooks (
  day     date        not null,
  cause   text        not null,
  count   integer     not null,
  last_at timestamptz not null,
  primary key (day, cause)
);

-- Limits of requests to Stripe, by account and by endpoint, and to a remote service, by key, for all processes together: a bucket of
-- tokens each, taken in batches.
-- Kept: for ever.
create unlogged table payment_retry.request_budgets (
  key         text             primary key,
  tokens      double precision not null,
  -- Tokens of the last grant.
  granted     integer          not null,
  refilled_at timestamptz      not null,
  -- Until when each request to a service that is open counts, at the latest.
  slots       timestamptz[]    not null default '{}',
  -- What Stripe last let us have a second; it grows back from `slowed_at` on.
  pace        double precision not null,
  slowed_at   timestamptz
);

-- What a connected account has set for itself. The credentials are encrypted under ACCOUNT_SETTINGS_KEY, bound to their account and
-- mode; nothing else here is a secret.
-- Kept: until the account removes the app.
create table payment_retry.account_settings (
  account         text        not null,
  mode            text        not null,
  business_entity text,
  credentials     text,
  saved_at        timestamptz not null,
  primary key (account, mode),
  check (mode in ('live', 'test', 'unknown'))
);

-- Who is signed in to the console. Only a hash of the id is kept: the id itself is in the browser alone.
-- Kept: for the length of a session.
create table payment_retry.sessions (
  id_hash    text        primary key,
  name       text        not null,
  -- Signed basis of the sign-in: a session ends when its setting changes.
  access     text        not null,
  created_at timestamptz not null,
  seen_at    timestamptz not null
);
create index sessions_seen_at on payment_retry.sessions (seen_at);
create index sessions_created_at on payment_retry.sessions (created_at);

-- Failed sign-ins and wrong credentials by address, which all processes count together; and digests of an address and a credential that
-- was right.
-- Kept: until `until`.
create table payment_retry.guesses (
  key      text        primary key,
  failures integer     not null,
  until    timestamptz not null
);
create index guesses_until on payment_retry.guesses (until);

-- Requests of the Stripe App that changed something. A signature is good for five minutes: within them the nonce keeps it from being
-- used a second time.
-- Kept: for a day.
create table payment_retry.app_nonces (
  account text        not null,
  nonce   text        not null,
  used_at timestamptz not null,
  primary key (account, nonce)
);
create index app_nonces_age on payment_retry.app_nonces (used_at);

-- Answers of the API under an idempotency key, and of the console's forms, sealed, until their page shows them.
-- Kept: for a day.
create table payment_retry.api_answers (
  key        text        primary key,
  -- Digest of the request.
  request    text        not null,
  -- Null while it is answered.
  status     integer,
  body       jsonb,
  created_at timestamptz not null
);
create index api_answers_created on payment_retry.api_answers (created_at);

-- 5. Counters and rules that the database keeps itself, so that no statement can omit them.

-- Counters. They never decrease, because deleted events happened, too; only `rows`, the number of rows by table and state, does, and
-- it alone is kept by account. Labels name codes, never a customer or an invoice. `amount` is in minor units. Reading costs the same for
-- any number of events.
-- Kept: for ever.
create table payment_retry.counters (
  account text   not null,
  name    text   not null,
  labels  jsonb  not null,
  total   bigint not null,
  amount  bigint not null,
  primary key (account, name, labels)
) with (fillfactor = 50);

-- What changed since `counters` was last brought up to date, which the sweep does. Writers only add to it, in the transaction of what
-- happened: none waits for another.
-- Kept: until the sweep has added it up.
create table payment_retry.counter_changes (
  account text   not null default '',
  name    text   not null,
  labels  jsonb  not null,
  total   bigint not null default 1,
  amount  bigint not null default 0
);

-- Stays in the database, so that no statement changes a row and not its count. Counts the rows of a table by state. `state` is an expression with %1$s in front of each column, null where a row does not count;
-- where it reads another table, rows must go before those that they name. Changes of one statement are added up before they are written.
create function payment_retry.count_rows(counted text, of_table text, state text) returns void
language plpgsql as $make$
begin
  execute format($f$
    create function payment_retry.count_%1$s() returns trigger language plpgsql as $body$
    begin
      insert into payment_retry.counter_changes (account, name, labels, total)
      select account, 'rows', jsonb_build_object('table', %1$L, 'state', counted.state),
        case when tg_op = 'INSERT' then count(*) else -count(*) end
      from changed cross join lateral (select %2$s as state) as counted
      where counted.state is not null group by account, counted.state;
      return null;
    end $body$;
    create function payment_retry.recount_%1$s() returns trigger language plpgsql as $body$
    begin
      insert into payment_retry.counter_changes (account, name, labels, total)
      select account, 'rows', jsonb_build_object('table', %1$L, 'state', moved.state), sum(rows) from (
        select account, %3$s as state, -1 as rows from was union all select account, %4$s, 1 from is_now) as moved
      where moved.state is not null group by account, moved.state having sum(rows) <> 0;
      return null;
    end $body$;
    create function payment_retry.uncount_%1$s() returns trigger language plpgsql as $body$
    begin
      delete from payment_retry.counters where name = 'rows' and labels->>'table' = %1$L;
      delete from payment_retry.counter_changes where name = 'rows' and labels->>'table' = %1$L;
      return null;
    end $body$;
    create trigger count_added_%1$s after insert on payment_retry.%5$s
      referencing new table as changed for each statement execute function payment_retry.count_%1$s();
    create trigger count_removed_%1$s after delete on payment_retry.%5$s
      referencing old table as changed for each statement execute function payment_retry.count_%1$s();
    create trigger recount_%1$s after update on payment_retry.%5$s
      referencing old table as was new table as is_now for each statement execute function payment_retry.recount_%1$s();
    create trigger uncount_%1$s after truncate on payment_retry.%5$s
      for each statement execute function payment_retry.uncount_%1$s();
    $f$, counted, format(state, 'changed.'), format(state, 'was.'), format(state, 'is_now.'), of_table);
end $make$;

select payment_retry.count_rows('events', 'events', $$case
  when %1$sprocessed_at is null then 'waiting'
  when %1$sresults->0->>'code' in ('dead', 'account_not_configured', 'access_revoked') then %1$sresults->0->>'code'
  else 'processed' end$$);
select payment_retry.count_rows('subscriptions', 'subscriptions', $$case
  when %1$sdismissed_version = %1$sversion then 'dismissed'
  when %1$srefused_version = %1$sversion then 'quarantined'
  when %1$sunmapped_reason is not null then 'unmapped'
  when %1$smessage is null then 'held_back'
  when %1$sversion is distinct from %1$sdelivered_version then 'waiting' else 'delivered' end$$);
-- Of which the service has ever heard.
select payment_retry.count_rows('known_subscriptions', 'subscriptions',
  $$case when %1$sdelivered_version is not null then 'known' end$$);
select payment_retry.count_rows('invoices', 'invoices', $$case when %1$sunmapped_reason is not null then 'unmapped' end$$);
select payment_retry.count_rows('instructions', 'instructions', '%1$sstate');
select payment_retry.count_rows('listed', 'recovery_actions', '%1$sfate');
select payment_retry.count_rows('actions', 'actions', '%1$sstate');
select payment_retry.count_rows('attempts', 'attempts', $$coalesce(%1$soutcome, 'unknown') || case when exists (
  select 1 from payment_retry.actions where actions.id = %1$saction_id and actions.cause = 'backup')
  then '_by_backup' else '' end$$);
select payment_retry.count_rows('endings', 'endings', $$case when %1$sended_at is null then 'given_up' else 'done' end$$);
select payment_retry.count_rows('emails', 'emails',
  $$%1$sstate || case when %1$sinvoice_id is null then '_as_prevention' else '' end$$);

drop function payment_retry.count_rows(text, text, text);

-- The tallies stay in the database, so that what happened is counted in its own statement, once, and never again.
-- Events that were new: a repeated one inserts no row.
create function payment_retry.tally_received() returns trigger language plpgsql as $$
begin
  insert into payment_retry.counter_changes (name, labels, total)
  select 'events_received', jsonb_build_object('type', type, 'source', source), count(*) from added group by type, source;
  return null;
end $$;
create trigger tally_received after insert on payment_retry.events
  referencing new table as added for each statement execute function payment_retry.tally_received();

-- Events at their first result; only the row before tells that it is the first.
create function payment_retry.tally_processed() returns trigger language plpgsql as $$
begin
  insert into payment_retry.counter_changes (name, labels, total)
  select 'events_processed', jsonb_build_object('result', result), count(*) from (
    select case when is_now.results->0->>'code' in ('dead', 'account_not_configured', 'access_revoked')
      then is_now.results->0->>'code' else 'processed' end as result
    from is_now where processed_at is not null and not exists (
      -- Few or none: a join with all rows costs a fifth of the statement.
      select from was where was.account = is_now.account and was.id = is_now.id and was.processed_at is not null)) as processed
  group by result;
  return null;
end $$;
create trigger tally_processed after update on payment_retry.events
  referencing old table as was new table as is_now for each statement execute function payment_retry.tally_processed();

-- Instructions that were new, by source: a repeated one inserts no row.
create function payment_retry.tally_instructions() returns trigger language plpgsql as $$
begin
  insert into payment_retry.counter_changes (name, labels, total)
  select 'instructions', jsonb_build_object('source', source, 'suggestion', asked.suggestion), count(*)
  from added cross join lateral (select case
    when added.type <> 'suggestion' then added.type
    when added.suggestion in ('ACTION_SUGGESTION_UNSPECIFIED', 'ACTION_SUGGESTION_RETRY', 'ACTION_SUGGESTION_CARD_CHANGE',
      'ACTION_SUGGESTION_CARD_CONFIRMATION') then lower(substr(added.suggestion, 19))
    else 'other' end as suggestion) asked
  group by source, asked.suggestion;
  return null;
end $$;
create trigger tally_added after insert on payment_retry.instructions
  referencing new table as added for each statement execute function payment_retry.tally_instructions();

-- The codes of a decline are those that its class is read from. A debit counts as pending first, and then as what it came to.
create function payment_retry.tally_attempt() returns trigger language plpgsql as $$
begin
  insert into payment_retry.counter_changes (name, labels, amount) values ('attempts', jsonb_strip_nulls(
    jsonb_build_object('outcome', new.outcome, 'currency', new.currency) || case
      when new.outcome in ('declined', 'requires_action') then jsonb_build_object('methodType', new.method_type, 'brand', new.brand,
        'code', new.code, 'declineCode', new.decline_code, 'adviceCode', new.advice_code, 'networkCode', new.network_code,
        'networkAdvice', new.network_advice)
      else '{}' end), coalesce(new.amount, 0));
  return null;
end $$;
create trigger tally_ended after update of outcome on payment_retry.attempts for each row
  when (new.source = 'ours' and new.outcome is not null and new.outcome is distinct from old.outcome)
  execute function payment_retry.tally_attempt();

-- Failed invoices that were paid, from any source; the amount is the previous row's. A credit note over all of it is no payment.
create function payment_retry.tally_recovered() returns trigger language plpgsql as $$
begin
  insert into payment_retry.counter_changes (name, labels, amount)
  select 'recovered', jsonb_build_object('currency', new.currency), least(old.amount_remaining, new.amount_due)
  where exists (select from payment_retry.attempts where attempts.account = new.account and attempts.invoice_id = new.id
    and attempts.outcome in ('declined', 'requires_action'));
  return null;
end $$;
create trigger tally_recovered after update of status on payment_retry.invoices for each row
  when (new.status = 'paid' and old.status <> 'paid' and new.amount_due is distinct from 0) execute function payment_retry.tally_recovered();

-- Refunds and lost disputes as a failure's row takes them in; only the row before tells what was counted.
create function payment_retry.tally_returned() returns trigger language plpgsql as $$
begin
  insert into payment_retry.counter_changes (name, labels, amount)
  values ('returned', jsonb_build_object('currency', new.currency), new.returned - old.returned);
  return null;
end $$;
create trigger tally_returned after update of returned on payment_retry.failures for each row
  when (new.returned > old.returned) execute function payment_retry.tally_returned();

-- Emails at the end of their sending, by result.
create function payment_retry.tally_email() returns trigger language plpgsql as $$
begin
  insert into payment_retry.counter_changes (name, labels)
  values ('emails', jsonb_build_object('template', new.template, 'result', new.state));
  return null;
end $$;
create trigger tally_ended after update of state on payment_retry.emails for each row
  when (new.state <> 'sending' and new.state is distinct from old.state) execute function payment_retry.tally_email();

-- Rows of `failures` to be refreshed. The notes stay in the database: ten tables change what a failure shows, and one statement
-- without its note would leave it wrong for good. Attempts:
create function payment_retry.note_attempts() returns trigger language plpgsql as $$
begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select distinct account, invoice_id from changed
  where outcome in ('declined', 'requires_action') or exists (
    select from payment_retry.attempts other where other.account = changed.account and other.invoice_id = changed.invoice_id
      and other.outcome in ('declined', 'requires_action'));
  return null;
end $$;

-- Invoices with a failed attempt.
create function payment_retry.note_invoices() returns trigger language plpgsql as $$
begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select distinct account, id from changed
  where exists (
    select from payment_retry.attempts where attempts.account = changed.account and attempts.invoice_id = changed.id
      and attempts.outcome in ('declined', 'requires_action'));
  return null;
end $$;

-- All tables with a row an invoice: actions, disputes, endings, takeovers and cases of the service.
create function payment_retry.note_actions() returns trigger language plpgsql as $$
begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select distinct account, invoice_id from changed where invoice_id is not null;
  return null;
end $$;

-- Invoices with a hold of their own, and those of a held customer.
create function payment_retry.note_holds() returns trigger language plpgsql as $$
begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select account, invoice_id from changed
  union select i.account, i.id from changed join payment_retry.invoices i on i.account = changed.account and i.customer_id = changed.invoice_id;
  return null;
end $$;

-- Invoices that a sent email names.
create function payment_retry.note_email() returns trigger language plpgsql as $$
begin
  insert into payment_retry.failure_changes (account, invoice_id) select new.account, unnest(new.named);
  return null;
end $$;
create trigger note_sent after update of state on payment_retry.emails for each row
  when (new.state = 'sent' and old.state <> 'sent') execute function payment_retry.note_email();

-- Invoices of subscriptions that ended: nothing more is tried for them. By row, as the next one about subscriptions: most of their
-- updates are of claims and deliveries, which name neither status nor message and so cost nothing here.
create function payment_retry.note_ended_subscription() returns trigger language plpgsql as $$
begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select account, id from payment_retry.invoices
  where account = new.account and subscription_id = new.id and status = 'open';
  return null;
end $$;
create trigger note_changed after update of status on payment_retry.subscriptions for each row
  when (new.status in ('canceled', 'incomplete_expired')) execute function payment_retry.note_ended_subscription();

-- Access: what changes a subscription's state, end or plan, and every change of a failure.
create function payment_retry.note_access() returns trigger language plpgsql as $$
begin
  insert into payment_retry.access_changes (account, customers)
  select account, array_agg(distinct customer_id) from changed where customer_id is not null group by account;
  return null;
end $$;
create function payment_retry.note_access_of_subscription() returns trigger language plpgsql as $$
begin
  insert into payment_retry.access_changes (account, customers) values (new.account, array[new.customer_id]);
  return null;
end $$;
create trigger note_access_changed after update of status, message on payment_retry.subscriptions for each row
  when ((new.status, new.message->>'endsAt', new.message->>'planId')
    is distinct from (old.status, old.message->>'endsAt', old.message->>'planId'))
  execute function payment_retry.note_access_of_subscription();
-- The functions run once for all rows that a statement changes.
do $$
declare
  noted record;
  kind text;
begin
  for noted in select * from (values
    ('attempts', 'note', 'note_attempts', '{insert,update}'::text[]),
    ('invoices', 'note', 'note_invoices', '{insert,update}'),
    ('actions', 'note', 'note_actions', '{insert,update}'),
    ('disputes', 'note', 'note_actions', '{insert,update}'),
    ('holds', 'note', 'note_holds', '{insert,update,delete}'),
    ('endings', 'note', 'note_actions', '{insert,update,delete}'),
    ('takeovers', 'note', 'note_actions', '{update}'),
    ('recovery_cases', 'note', 'note_actions', '{insert,update,delete}'),
    ('subscriptions', 'note_access', 'note_access', '{insert}'),
    ('failures', 'note_access', 'note_access', '{insert,update,delete}')) as rows (of_table, named, noting, kinds)
  loop
    foreach kind in array noted.kinds loop
      execute format('create trigger %s_%s after %s on payment_retry.%I referencing %s table as changed
        for each statement execute function payment_retry.%I()',
        noted.named, case kind when 'insert' then 'added' when 'update' then 'changed' else 'removed' end,
        kind, noted.of_table, case kind when 'delete' then 'old' else 'new' end, noted.noting);
    end loop;
  end loop;
end $$;

-- 6. Erasure. Its triggers stay in the database, so that no statement writes personal data of a forgotten customer again.

-- Customers of whom nothing personal is kept. `finished_at`: all that was there is gone, but what limits of their cards need for 30
-- days; `is_settled`: that, too.
-- Kept: for ever.
create table payment_retry.forgotten (
  account     text        not null,
  customer_id text        not null,
  asked_at    timestamptz not null,
  finished_at timestamptz,
  is_settled  boolean     not null default false,
  primary key (account, customer_id)
);
create index forgotten_unsettled on payment_retry.forgotten (asked_at) where not is_settled;
create index forgotten_unfinished on payment_retry.forgotten (asked_at) where finished_at is null;

create function payment_retry.is_forgotten(of_account text, of_customer text) returns boolean language sql stable as $$
  select exists (select 1 from payment_retry.forgotten where account = of_account and customer_id = of_customer)
$$;

-- Of an invoice; where there is none yet, of a subscription.
create function payment_retry.is_of_forgotten(of_account text, of_invoice text, of_subscription text default null)
returns boolean language sql stable as $$
  select exists (select 1 from payment_retry.forgotten f where f.account = of_account and f.customer_id in (
    select customer_id from payment_retry.invoices where account = of_account and id = of_invoice
    union all select customer_id from payment_retry.subscriptions where account = of_account and id = of_subscription))
$$;

-- Replaces texts of people and other systems; the keys stay, because code reads them. Nulls stay.
create function payment_retry.without_words(detail jsonb) returns jsonb language plpgsql immutable strict as $$
begin
  return case when jsonb_typeof(detail) <> 'object' then detail else (
    select coalesce(jsonb_object_agg(key, case
      when jsonb_typeof(value) = 'object' then payment_retry.without_words(value)
      when jsonb_typeof(value) = 'string' and key in ('note', 'error', 'answer', 'text', 'message', 'detail', 'problem', 'value',
        'recipient', 'paymentGatewayErrorMessage') then '""'::jsonb
      else value end), '{}') from jsonb_each(detail)) end;
end $$;

-- The service's message about a payment, without its card.
create function payment_retry.without_card(message jsonb) returns jsonb language sql immutable as $$
  select message - array['cardBrand', 'cardBin', 'cardFingerprint', 'cardCountry', 'cardExpiry', 'cardFunding',
    'paymentGatewayErrorMessage']
$$;

-- What a failure of a forgotten customer is found by: its ids.
create function payment_retry.words_of_ids(invoice text, customer text, subscription text) returns tsvector
language sql immutable as $$
  select to_tsvector('simple', replace(invoice || ' ' || coalesce(customer, '') || ' ' || coalesce(subscription, ''), '_', ' '))
$$;

-- Keeps data of a card's 30-day limits until they end.
create function payment_retry.forget_attempt() returns trigger language plpgsql as $$
declare
  known payment_retry.forgotten;
begin
  select * into known from payment_retry.forgotten where account = new.account and customer_id = new.customer_id;
  if known.asked_at is null then return new; end if;
  new.detail := null;
  new.message := payment_retry.without_card(new.message);
  if known.is_settled or new.started_at < known.asked_at - interval '30 days' then
    new.fingerprint := null;
    new.card_expiry := null;
  end if;
  return new;
end $$;
create trigger forget before insert or update on payment_retry.attempts
  for each row execute function payment_retry.forget_attempt();

-- An instruction that comes again, or late, for a forgotten customer.
create function payment_retry.forget_body() returns trigger language plpgsql as $$
begin
  if payment_retry.is_of_forgotten(new.account, new.invoice_id) then new.body := ''; end if;
  return new;
end $$;
create trigger forget before insert or update of body on payment_retry.instructions
  for each row execute function payment_retry.forget_body();
create trigger forget before insert or update of body on payment_retry.recovery_actions
  for each row execute function payment_retry.forget_body();

-- A case that the service reports again.
create function payment_retry.forget_case() returns trigger language plpgsql as $$
begin
  if payment_retry.is_of_forgotten(new.account, new.invoice_id) then new.reasons := ''; end if;
  return new;
end $$;
create trigger forget before insert or update on payment_retry.recovery_cases
  for each row execute function payment_retry.forget_case();

-- A customer that an event or a read brings again.
create function payment_retry.forget_name() returns trigger language plpgsql as $$
begin
  if payment_retry.is_forgotten(new.account, new.id) then return null; end if;
  return new;
end $$;
create trigger forget before insert or update on payment_retry.customers
  for each row execute function payment_retry.forget_name();

-- A row may be drawn from names that were read before they went.
create function payment_retry.forget_failure() returns trigger language plpgsql as $$
begin
  if payment_retry.is_forgotten(new.account, new.customer_id) then
    new.words := payment_retry.words_of_ids(new.invoice_id, new.customer_id, new.subscription_id);
    new.country := null;
  end if;
  return new;
end $$;
create trigger forget before insert or update on payment_retry.failures
  for each row execute function payment_retry.forget_failure();

-- A listener's error message may contain personal data.
create function payment_retry.forget_event() returns trigger language plpgsql as $$
begin
  if payment_retry.is_of_forgotten(new.account, new.invoice_id, new.detail->>'subscription') then
    new.detail := payment_retry.without_words(new.detail);
    new.problem := null;
  end if;
  return new;
end $$;
create trigger forget before insert or update on payment_retry.host_events
  for each row execute function payment_retry.forget_event();

-- An email that is on its way while its customer is forgotten is not written down again.
create function payment_retry.forget_email() returns trigger language plpgsql as $$
begin
  if payment_retry.is_of_forgotten(new.account, new.invoice_id, new.subscription_id) then
    new.recipient := '';
    new.copies := '{}';
    new.detail := null;
    new.subject := null;
    new.body_text := null;
    new.body_html := null;
  end if;
  return new;
end $$;
create trigger forget before insert or update on payment_retry.emails
  for each row execute function payment_retry.forget_email();
