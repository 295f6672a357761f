-- An invoice of which a payment failed, as people look for it: drawn together from the other tables, never written by what
-- collects. `state`: open, recovered or lost. `amount`: what was to be paid. `reason`: of the latest failure. `cause`: what
-- recovered it. `next_at`: the earliest planned action. Times of failure and end are those of the payments.
create table payment_retry.failures (
  account         text        not null,
  invoice_id      text        not null,
  customer_id     text,
  subscription_id text,
  plan            text,
  currency        text        not null,
  amount          bigint      not null,
  state           text        not null,
  cause           text,
  failed_at       timestamptz not null,
  ended_at        timestamptz,
  attempts        integer     not null,
  reason          text,
  payment_method  text,
  brand           text,
  country         text,
  next_kind       text,
  next_at         timestamptz,
  words           tsvector    not null,
  primary key (account, invoice_id)
);
create index failures_failed on payment_retry.failures (failed_at desc, invoice_id)
  include (account, state, currency, amount, next_kind, reason, brand, country, plan);
create index failures_open on payment_retry.failures (failed_at desc, invoice_id)
  include (account, currency, amount, next_kind) where state = 'open';
create index failures_recovered on payment_retry.failures (ended_at) include (currency, amount, cause) where state = 'recovered';
create index failures_lost on payment_retry.failures (failed_at desc, invoice_id) where state = 'lost';
create index failures_reason on payment_retry.failures (reason, failed_at desc, invoice_id);
create index failures_brand on payment_retry.failures (brand, failed_at desc, invoice_id);
create index failures_country on payment_retry.failures (country, failed_at desc, invoice_id);
create index failures_plan on payment_retry.failures (plan, failed_at desc, invoice_id);
create index failures_currency on payment_retry.failures (currency, failed_at desc, invoice_id);
create index failures_amount on payment_retry.failures (currency, amount desc, invoice_id);
create index failures_next on payment_retry.failures (next_at, invoice_id)
  include (account, state, currency, amount, next_kind) where next_at is not null;
create index failures_customer on payment_retry.failures (account, customer_id, failed_at desc);
create index failures_words on payment_retry.failures using gin (words);

-- Who pays, with what and for what, as Stripe's events about failed payments tell.
create table payment_retry.customers (
  account text not null,
  id      text not null,
  name    text,
  email   text,
  primary key (account, id)
);
create table payment_retry.cards (
  account text not null,
  id      text not null,
  last4   text,
  country text,
  primary key (account, id)
);
create table payment_retry.plans (
  account text not null,
  id      text not null,
  name    text not null,
  primary key (account, id)
);

-- Invoices whose row in `failures` is to be drawn anew. Rows are only added by those who change something, in their own
-- transaction, so that nobody waits for anybody.
create table payment_retry.failure_changes (
  id         bigint generated always as identity primary key,
  account    text   not null,
  invoice_id text   not null
);

create function payment_retry.note_attempts() returns trigger language plpgsql as $$ begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select distinct account, invoice_id from changed
  where outcome in ('declined', 'requires_action') or exists (
    select from payment_retry.attempts other where other.account = changed.account and other.invoice_id = changed.invoice_id
      and other.outcome in ('declined', 'requires_action'))
  ; return null; end $$;

create function payment_retry.note_invoices() returns trigger language plpgsql as $$ begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select distinct account, id from changed
  where exists (
    select from payment_retry.attempts where attempts.account = changed.account and attempts.invoice_id = changed.id
      and attempts.outcome in ('declined', 'requires_action'))
  ; return null; end $$;

create function payment_retry.note_actions() returns trigger language plpgsql as $$ begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select distinct account, invoice_id from changed
  ; return null; end $$;

create function payment_retry.note_ended_subscriptions() returns trigger language plpgsql as $$ begin
  insert into payment_retry.failure_changes (account, invoice_id)
  select invoices.account, invoices.id from changed
  join payment_retry.invoices on invoices.account = changed.account and invoices.subscription_id = changed.id
  where changed.status in ('canceled', 'incomplete_expired') and invoices.status = 'open'
  ; return null; end $$;

create trigger note_added after insert on payment_retry.attempts
  referencing new table as changed for each statement execute function payment_retry.note_attempts();
create trigger note_changed after update on payment_retry.attempts
  referencing new table as changed for each statement execute function payment_retry.note_attempts();
create trigger note_added after insert on payment_retry.invoices
  referencing new table as changed for each statement execute function payment_retry.note_invoices();
create trigger note_changed after update on payment_retry.invoices
  referencing new table as changed for each statement execute function payment_retry.note_invoices();
create trigger note_added after insert on payment_retry.actions
  referencing new table as changed for each statement execute function payment_retry.note_actions();
create trigger note_changed after update on payment_retry.actions
  referencing new table as changed for each statement execute function payment_retry.note_actions();
create trigger note_changed after update on payment_retry.subscriptions
  referencing new table as changed for each statement execute function payment_retry.note_ended_subscriptions();

-- What was stored before. Bodies that hold a zero character are no JSON to the database.
insert into payment_retry.failure_changes (account, invoice_id)
select distinct account, invoice_id from payment_retry.attempts where outcome in ('declined', 'requires_action');

insert into payment_retry.customers (account, id, name, email)
select distinct on (account, customer) account, customer, body->>'customer_name', body->>'customer_email'
from (select account, created_at, payload::jsonb #> '{data,object}' as body from payment_retry.events
      where type = 'invoice.payment_failed' and starts_with(payload, '{') and position('\u0000' in payload) = 0) event
cross join lateral (select case jsonb_typeof(body->'customer') when 'string' then body->>'customer' end as customer) of
where customer is not null
order by account, customer, created_at desc;

insert into payment_retry.cards (account, id, country)
select distinct on (account, payment_method) account, payment_method, message->>'cardCountry'
from payment_retry.attempts
where payment_method is not null and message->>'cardCountry' is not null and outcome in ('declined', 'requires_action')
order by account, payment_method, started_at desc;
