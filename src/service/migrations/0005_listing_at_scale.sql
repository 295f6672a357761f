-- How many actions there are, by the hour of their execution ('infinity': not executed), so that the listing's total
-- need not be counted. The database keeps it itself: no statement can forget it.
create table retry_service.action_counts (
  organization  text        not null,
  executed_hour timestamptz not null,
  actions       bigint      not null,
  primary key (organization, executed_hour)
) with (fillfactor = 50);

-- A function's body has no semicolon at the end of a line: there the migration's statements are split.
create function retry_service.count_actions() returns trigger language plpgsql as $$ begin
  insert into retry_service.action_counts
  select organization, coalesce(date_trunc('hour', executed_at, 'UTC'), 'infinity'),
         case when tg_op = 'INSERT' then count(*) else -count(*) end
  from changed group by 1, 2
  on conflict (organization, executed_hour) do update set actions = action_counts.actions + excluded.actions
  ; return null; end $$;

create function retry_service.recount_action() returns trigger language plpgsql as $$ begin
  insert into retry_service.action_counts
  values (old.organization, coalesce(date_trunc('hour', old.executed_at, 'UTC'), 'infinity'), -1),
         (new.organization, coalesce(date_trunc('hour', new.executed_at, 'UTC'), 'infinity'), 1)
  on conflict (organization, executed_hour) do update set actions = action_counts.actions + excluded.actions
  ; return null; end $$;

create function retry_service.forget_counts() returns trigger language plpgsql as $$ begin
  delete from retry_service.action_counts
  ; return null; end $$;

create trigger count_added after insert on retry_service.recovery_actions
  referencing new table as changed for each statement execute function retry_service.count_actions();
create trigger count_removed after delete on retry_service.recovery_actions
  referencing old table as changed for each statement execute function retry_service.count_actions();
create trigger recount_executed after update on retry_service.recovery_actions for each row
  when (date_trunc('hour', old.executed_at, 'UTC') is distinct from date_trunc('hour', new.executed_at, 'UTC'))
  execute function retry_service.recount_action();
create trigger forget_all after truncate on retry_service.recovery_actions
  for each statement execute function retry_service.forget_counts();

-- The triggers' locks keep writers out until this is committed.
insert into retry_service.action_counts
select organization, coalesce(date_trunc('hour', executed_at, 'UTC'), 'infinity'), count(*)
from retry_service.recovery_actions group by 1, 2;

-- One index for each order of the listing; unexecuted actions come last in either direction.
create index recovery_actions_ideal on retry_service.recovery_actions (organization, ideal_retry_at, position);
create index recovery_actions_executed_asc on retry_service.recovery_actions
  (organization, coalesce(executed_at, 'infinity'), position);
create index recovery_actions_executed_desc on retry_service.recovery_actions
  (organization, coalesce(executed_at, '-infinity'), position);
drop index retry_service.recovery_actions_executed;

-- And for its filters that leave few.
create index recovery_actions_customer on retry_service.recovery_actions (organization, customer_id, position);
create index recovery_actions_subscription on retry_service.recovery_actions (organization, subscription_id, position);
create index recovery_actions_transaction on retry_service.recovery_actions (organization, transaction_id)
  where transaction_id is not null;

-- Overdue cases are looked for in all organizations.
create index cases_overdue on retry_service.cases (review_at, organization, invoice_id) where review_at is not null;
drop index retry_service.cases_review;
