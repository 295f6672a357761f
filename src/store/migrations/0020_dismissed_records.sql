-- The version of a refused record that a person does not want delivered.
alter table payment_retry.subscriptions add column dismissed_version timestamptz;
alter table payment_retry.invoices add column dismissed_version timestamptz;
alter table payment_retry.attempts add column dismissed_version timestamptz;

-- As 0018 made them, with one more state.
create or replace function payment_retry.count_subscriptions() returns trigger language plpgsql as $body$ begin
  insert into payment_retry.row_count_changes
    select account, 'subscriptions', case
      when changed.dismissed_version = changed.version then 'dismissed'
      when changed.refused_version = changed.version then 'quarantined'
      when changed.unmapped_reason is not null then 'unmapped'
      when changed.message is null then 'held_back'
      when changed.version is distinct from changed.delivered_version then 'waiting' else 'delivered' end,
      case when tg_op = 'INSERT' then count(*) else -count(*) end
    from changed group by 1, 3
  ; return null; end $body$;
create or replace function payment_retry.recount_subscriptions() returns trigger language plpgsql as $body$
  declare was text := case
      when old.dismissed_version = old.version then 'dismissed'
      when old.refused_version = old.version then 'quarantined'
      when old.unmapped_reason is not null then 'unmapped'
      when old.message is null then 'held_back'
      when old.version is distinct from old.delivered_version then 'waiting' else 'delivered' end
  ; is_now text := case
      when new.dismissed_version = new.version then 'dismissed'
      when new.refused_version = new.version then 'quarantined'
      when new.unmapped_reason is not null then 'unmapped'
      when new.message is null then 'held_back'
      when new.version is distinct from new.delivered_version then 'waiting' else 'delivered' end
  ; begin
  if was is not distinct from is_now then return null; end if
  ; insert into payment_retry.row_count_changes
    select new.account, 'subscriptions', change.state, change.rows from (values (was, -1), (is_now, 1)) as change (state, rows)
  ; return null; end $body$;
drop trigger recount_subscriptions on payment_retry.subscriptions;
create trigger recount_subscriptions after update
  of version, message, delivered_version, refused_version, unmapped_reason, dismissed_version on payment_retry.subscriptions
  for each row execute function payment_retry.recount_subscriptions();
