-- Where many rows are changed by one statement, what they count is added up once for the statement, not once for each row. A body
-- has no semicolon at the end of a line: there the migration's statements are split.
create function payment_retry.recount_together(counted text, of_table text, state text) returns void
language plpgsql as $make$ begin
  execute format($f$create or replace function payment_retry.recount_%1$s() returns trigger language plpgsql as $body$ begin
    insert into payment_retry.row_count_changes
    select account, %1$L, moved.state, sum(rows) from (
      select account, %2$s as state, -1 as rows from was union all select account, %3$s, 1 from is_now) as moved
    where moved.state is not null group by account, moved.state having sum(rows) <> 0
    ; return null; end $body$ $f$, counted, format(state, 'was.'), format(state, 'is_now.'))
  ; execute format('drop trigger recount_%1$s on payment_retry.%2$s', counted, of_table)
  ; execute format('create trigger recount_%1$s after update on payment_retry.%2$s
    referencing old table as was new table as is_now for each statement execute function payment_retry.recount_%1$s()', counted, of_table)
  ; end $make$;

select payment_retry.recount_together('events', 'events', $$case
  when %1$sprocessed_at is null then 'waiting'
  when %1$sresults->0->>'code' in ('dead', 'account_not_configured', 'access_revoked') then %1$sresults->0->>'code'
  else 'processed' end$$);
select payment_retry.recount_together('subscriptions', 'subscriptions', $$case
  when %1$sdismissed_version = %1$sversion then 'dismissed'
  when %1$srefused_version = %1$sversion then 'quarantined'
  when %1$sunmapped_reason is not null then 'unmapped'
  when %1$smessage is null then 'held_back'
  when %1$sversion is distinct from %1$sdelivered_version then 'waiting' else 'delivered' end$$);
select payment_retry.recount_together('known_subscriptions', 'subscriptions',
  $$case when %1$sdelivered_version is not null then 'known' end$$);

drop function payment_retry.recount_together(text, text, text);

create or replace function payment_retry.tally_processed_event() returns trigger language plpgsql as $$ begin
  insert into payment_retry.counter_changes (name, labels, total)
  select 'events_processed', jsonb_build_object('result', result), count(*) from (
    select case when is_now.results->0->>'code' in ('dead', 'account_not_configured', 'access_revoked')
      then is_now.results->0->>'code' else 'processed' end as result
    from is_now join was using (account, id) where was.processed_at is null and is_now.processed_at is not null) as processed
  group by result
  ; return null; end $$;
drop trigger tally_processed on payment_retry.events;
create trigger tally_processed after update on payment_retry.events
  referencing old table as was new table as is_now for each statement execute function payment_retry.tally_processed_event();
