-- By which way an event came first: Stripe's webhook, or Stripe's list of events, which is read for what no webhook brought.
alter table payment_retry.events add column source text not null default 'webhook';

create or replace function payment_retry.tally_events() returns trigger language plpgsql as $$ begin
  insert into payment_retry.counter_changes (name, labels, total)
  select 'events_received', jsonb_build_object('type', type, 'source', source), count(*) from added group by type, source
  ; return null; end $$;
