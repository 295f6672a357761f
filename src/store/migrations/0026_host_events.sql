-- Who wants to hear what happened: handlers of the application around (`host`), an address (`webhook`).
create table payment_retry.event_channels (channel text primary key);

-- What is still to be told, a row for each channel, written in the transaction of what happened. Deleted once it is told.
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

create function payment_retry.tell_audit() returns trigger language plpgsql as $$ begin
  insert into payment_retry.host_events (channel, event_id, type, account, invoice_id, at, detail, next_at)
  select channel, md5('audit ' || new.id)::uuid, case
    when new.kind = 'email.sent' then 'mailed'
    when new.kind = 'dunning.given_up' then 'gaveUp'
    when starts_with(new.kind, 'attempt.') then 'attempted'
    else 'needsAttention' end, new.account, new.invoice_id, new.at, case
    when starts_with(new.kind, 'attempt.') then jsonb_build_object('outcome', substr(new.kind, 9)) || new.detail
    else new.detail end, new.at
  from payment_retry.event_channels
  ; return null; end $$;
create trigger tell_audit after insert on payment_retry.audit for each row
  when (new.kind in ('attempt.paid', 'attempt.declined', 'attempt.requires_action', 'attempt.pending', 'attempt.not_payable',
    'email.sent', 'dunning.given_up', 'guard.asked', 'email.undeliverable'))
  execute function payment_retry.tell_audit();

create function payment_retry.tell_paid() returns trigger language plpgsql as $$ begin
  insert into payment_retry.host_events (channel, event_id, type, account, invoice_id, at, detail, next_at)
  select channel, md5('paid ' || new.account || ' ' || new.id)::uuid, 'recovered', new.account, new.id, new.version,
    jsonb_build_object('customer', new.customer_id, 'subscription', new.subscription_id, 'currency', new.currency), new.version
  from payment_retry.event_channels
  where exists (select from payment_retry.attempts where attempts.account = new.account and attempts.invoice_id = new.id
    and attempts.outcome in ('declined', 'requires_action'))
  ; return null; end $$;
create trigger tell_paid after update of status on payment_retry.invoices for each row
  when (new.status = 'paid' and old.status <> 'paid') execute function payment_retry.tell_paid();
create trigger tell_paid_first after insert on payment_retry.invoices for each row
  when (new.status = 'paid') execute function payment_retry.tell_paid();
