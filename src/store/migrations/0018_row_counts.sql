-- How many rows of each table are in each state, so that counting them costs the same however many there are. The database
-- keeps it itself: no statement can forget it.
create table payment_retry.row_counts (
  account text   not null,
  counted text   not null,
  state   text   not null,
  rows    bigint not null,
  primary key (account, counted, state)
) with (fillfactor = 50);

-- What changed since `row_counts` was last brought up to date, which the sweep does. Writers only add to it: none waits for
-- another, in whatever order they change their tables.
create table payment_retry.row_count_changes (
  account text   not null,
  counted text   not null,
  state   text   not null,
  rows    bigint not null
);

-- `state` is an expression with %1$s in front of each column of the table; null where the row does not count. Where a state is
-- read from another table, rows must go before those that they name. A body has no semicolon at the end of a line: there the
-- migration's statements are split.
create function payment_retry.keep_counts(counted text, of_table text, columns text, state text) returns void
language plpgsql as $make$ begin
  execute format($f$create function payment_retry.count_%1$s() returns trigger language plpgsql as $body$ begin
    insert into payment_retry.row_count_changes
    select account, %1$L, %2$s, case when tg_op = 'INSERT' then count(*) else -count(*) end
    from changed where %2$s is not null group by 1, 3
    ; return null; end $body$ $f$, counted, format(state, 'changed.'))
  ; execute format($f$create function payment_retry.recount_%1$s() returns trigger language plpgsql as $body$
    declare was text := %2$s; is_now text := %3$s; begin
    if was is not distinct from is_now then return null; end if
    ; insert into payment_retry.row_count_changes
    select new.account, %1$L, change.state, change.rows from (values (was, -1), (is_now, 1)) as change (state, rows)
    where change.state is not null
    ; return null; end $body$ $f$, counted, format(state, 'old.'), format(state, 'new.'))
  ; execute format($f$create function payment_retry.uncount_%1$s() returns trigger language plpgsql as $body$ begin
    delete from payment_retry.row_counts where counted = %1$L
    ; delete from payment_retry.row_count_changes where counted = %1$L
    ; return null; end $body$ $f$, counted)
  ; execute format('create trigger count_added_%1$s after insert on payment_retry.%2$s
    referencing new table as changed for each statement execute function payment_retry.count_%1$s()', counted, of_table)
  ; execute format('create trigger count_removed_%1$s after delete on payment_retry.%2$s
    referencing old table as changed for each statement execute function payment_retry.count_%1$s()', counted, of_table)
  ; execute format('create trigger recount_%1$s after update of %3$s on payment_retry.%2$s
    for each row execute function payment_retry.recount_%1$s()', counted, of_table, columns)
  ; execute format('create trigger uncount_%1$s after truncate on payment_retry.%2$s
    for each statement execute function payment_retry.uncount_%1$s()', counted, of_table)
  ; execute format('insert into payment_retry.row_counts select account, %1$L, %3$s, count(*) from payment_retry.%2$s as changed
    where %3$s is not null group by 1, 3', counted, of_table, format(state, 'changed.'))
  ; end $make$;

select payment_retry.keep_counts('events', 'events', 'processed_at, results', $$case
  when %1$sprocessed_at is null then 'waiting'
  when %1$sresults->0->>'code' in ('dead', 'account_not_configured', 'access_revoked') then %1$sresults->0->>'code'
  else 'processed' end$$);
select payment_retry.keep_counts('subscriptions', 'subscriptions',
  'version, message, delivered_version, refused_version, unmapped_reason', $$case
  when %1$srefused_version = %1$sversion then 'quarantined'
  when %1$sunmapped_reason is not null then 'unmapped'
  when %1$smessage is null then 'held_back'
  when %1$sversion is distinct from %1$sdelivered_version then 'waiting' else 'delivered' end$$);
-- Of which the service has ever heard.
select payment_retry.keep_counts('known_subscriptions', 'subscriptions', 'delivered_version',
  $$case when %1$sdelivered_version is not null then 'known' end$$);
select payment_retry.keep_counts('invoices', 'invoices', 'unmapped_reason',
  $$case when %1$sunmapped_reason is not null then 'unmapped' end$$);
select payment_retry.keep_counts('instructions', 'instructions', 'state', '%1$sstate');
select payment_retry.keep_counts('listed', 'recovery_actions', 'fate', '%1$sfate');
select payment_retry.keep_counts('actions', 'actions', 'state', '%1$sstate');
select payment_retry.keep_counts('attempts', 'attempts', 'outcome', $$coalesce(%1$soutcome, 'unknown') || case when exists (
  select 1 from payment_retry.actions where actions.id = %1$saction_id and starts_with(actions.origin, 'backup:'))
  then '_by_backup' else '' end$$);
select payment_retry.keep_counts('endings', 'endings', 'ended_at',
  $$case when %1$sended_at is null then 'given_up' else 'done' end$$);
select payment_retry.keep_counts('emails', 'emails', 'state',
  $$%1$sstate || case %1$stemplate when 'expiring_card' then '_as_prevention' else '' end$$);

drop function payment_retry.keep_counts(text, text, text, text);

-- What a person has to look at is few among many.
create index events_dead on payment_retry.events (processed_at, id) where results->0->>'code' = 'dead';
create index events_revoked on payment_retry.events (account, created_at) where results->0->>'code' = 'access_revoked';
create index actions_refused on payment_retry.actions (account)
  where state = 'scheduled' and reason->>'code' = 'access_refused';
create index instructions_failed on payment_retry.instructions (position) where state = 'failed';
create index emails_sending on payment_retry.emails (account, invoice_id) where state = 'sending';
create index audit_undeliverable on payment_retry.audit (account, invoice_id, id) where kind = 'email.undeliverable';
create index audit_observed on payment_retry.audit (kind, invoice_id, at) where starts_with(kind, 'observed.');

-- What is to be delivered, told so that the planner can know how little it is: it keeps figures of an expression, but of
-- `is distinct from` it believes that nearly every row fits.
drop index payment_retry.subscriptions_dirty;
drop index payment_retry.invoices_dirty;
drop index payment_retry.attempts_dirty;
create index subscriptions_dirty on payment_retry.subscriptions (account, version)
  where message is not null and coalesce(version <> delivered_version, true);
create index invoices_dirty on payment_retry.invoices (account, version)
  where message is not null and coalesce(version <> delivered_version, true);
create index attempts_dirty on payment_retry.attempts (account, version)
  where message is not null and coalesce(version <> delivered_version, true);
create statistics payment_retry.subscriptions_to_deliver on (coalesce(version <> delivered_version, true)) from payment_retry.subscriptions;
create statistics payment_retry.invoices_to_deliver on (coalesce(version <> delivered_version, true)) from payment_retry.invoices;
create statistics payment_retry.attempts_to_deliver on (coalesce(version <> delivered_version, true)) from payment_retry.attempts;
analyze payment_retry.subscriptions, payment_retry.invoices, payment_retry.attempts;
