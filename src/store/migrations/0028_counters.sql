-- What has happened since the installation, for monitoring. A counter never goes back: what is pruned has happened all the same.
-- `amount` is in minor units. Labels name codes, never a customer, an invoice or an account.
create table payment_retry.counters (
  name   text   not null,
  labels jsonb  not null,
  total  bigint not null,
  amount bigint not null,
  primary key (name, labels)
) with (fillfactor = 50);

-- What happened since `counters` was last brought up to date, which the sweep does. Writers only add to it, in the transaction
-- of what happened: none waits for another.
create table payment_retry.counter_changes (
  name   text   not null,
  labels jsonb  not null,
  total  bigint not null default 1,
  amount bigint not null default 0
);

create function payment_retry.tally_events() returns trigger language plpgsql as $$ begin
  insert into payment_retry.counter_changes (name, labels, total)
  select 'events_received', jsonb_build_object('type', type), count(*) from added group by type
  ; return null; end $$;
create trigger tally_received after insert on payment_retry.events
  referencing new table as added for each statement execute function payment_retry.tally_events();

create function payment_retry.tally_processed_event() returns trigger language plpgsql as $$ begin
  insert into payment_retry.counter_changes (name, labels) values ('events_processed', jsonb_build_object('result', case
    when new.results->0->>'code' in ('dead', 'account_not_configured', 'access_revoked') then new.results->0->>'code'
    else 'processed' end))
  ; return null; end $$;
create trigger tally_processed after update of processed_at on payment_retry.events for each row
  when (old.processed_at is null and new.processed_at is not null) execute function payment_retry.tally_processed_event();

create function payment_retry.tally_instructions() returns trigger language plpgsql as $$ begin
  insert into payment_retry.counter_changes (name, labels, total)
  select 'instructions', jsonb_build_object('source', source, 'suggestion', asked.suggestion), count(*)
  from added cross join lateral (select case
    when added.type <> 'suggestion' then added.type
    when added.suggestion in ('ACTION_SUGGESTION_UNSPECIFIED', 'ACTION_SUGGESTION_RETRY', 'ACTION_SUGGESTION_CARD_CHANGE',
      'ACTION_SUGGESTION_CARD_CONFIRMATION') then lower(substr(added.suggestion, 19))
    else 'other' end as suggestion) asked
  group by source, asked.suggestion
  ; return null; end $$;
create trigger tally_added after insert on payment_retry.instructions
  referencing new table as added for each statement execute function payment_retry.tally_instructions();

-- The codes of a decline are those that its class is read from. A debit counts as pending first, and then as what it came to.
create function payment_retry.tally_attempt() returns trigger language plpgsql as $$ begin
  insert into payment_retry.counter_changes (name, labels, amount) values ('attempts', jsonb_strip_nulls(
    jsonb_build_object('outcome', new.outcome, 'currency', new.currency) || case
      when new.outcome in ('declined', 'requires_action') then jsonb_build_object('methodType', new.method_type, 'brand', new.brand,
        'code', new.code, 'declineCode', new.decline_code, 'adviceCode', new.advice_code, 'networkCode', new.network_code,
        'networkAdvice', new.network_advice)
      else '{}' end), coalesce(new.amount, 0))
  ; return null; end $$;
create trigger tally_ended after update of outcome on payment_retry.attempts for each row
  when (new.source = 'ours' and new.outcome is not null and new.outcome is distinct from old.outcome)
  execute function payment_retry.tally_attempt();

create function payment_retry.tally_recovered() returns trigger language plpgsql as $$ begin
  insert into payment_retry.counter_changes (name, labels, amount)
  select 'recovered', jsonb_build_object('currency', new.currency), old.amount_remaining
  where exists (select from payment_retry.attempts where attempts.account = new.account and attempts.invoice_id = new.id
    and attempts.outcome in ('declined', 'requires_action'))
  ; return null; end $$;
create trigger tally_recovered after update of status on payment_retry.invoices for each row
  when (new.status = 'paid' and old.status <> 'paid') execute function payment_retry.tally_recovered();

create function payment_retry.tally_mail() returns trigger language plpgsql as $$ begin
  insert into payment_retry.counter_changes (name, labels)
  values ('mails', jsonb_build_object('template', new.template, 'result', new.state))
  ; return null; end $$;
create trigger tally_ended after update of state on payment_retry.emails for each row
  when (new.state <> 'sending' and new.state is distinct from old.state) execute function payment_retry.tally_mail();
