-- An action's market is its currency and the country of its card ('' where none is known). How many actions there are in each
-- market, by the day of their execution ('infinity': not executed), kept by the database as action_counts is. Beside that
-- table, not in it: with the markets in it the total of all would be a sum of many times the rows. By days, because
-- markets times hours would soon be as many rows as there are actions.
create table retry_service.action_market_counts (
  organization text        not null,
  currency     text        not null,
  card_country text        not null,
  executed_day timestamptz not null,
  actions      bigint      not null,
  primary key (organization, currency, card_country, executed_day)
) with (fillfactor = 50);

create function retry_service.count_markets() returns trigger language plpgsql as $$ begin
  insert into retry_service.action_market_counts
  select organization, currency, coalesce(card_country, ''),
         coalesce(date_trunc('day', executed_at, 'UTC'), 'infinity'),
         case when tg_op = 'INSERT' then count(*) else -count(*) end
  from changed group by 1, 2, 3, 4
  on conflict (organization, currency, card_country, executed_day)
  do update set actions = action_market_counts.actions + excluded.actions
  ; return null; end $$;

create function retry_service.recount_market() returns trigger language plpgsql as $$ begin
  insert into retry_service.action_market_counts
  values (old.organization, old.currency, coalesce(old.card_country, ''),
          coalesce(date_trunc('day', old.executed_at, 'UTC'), 'infinity'), -1),
         (new.organization, new.currency, coalesce(new.card_country, ''),
          coalesce(date_trunc('day', new.executed_at, 'UTC'), 'infinity'), 1)
  on conflict (organization, currency, card_country, executed_day)
  do update set actions = action_market_counts.actions + excluded.actions
  ; return null; end $$;

create function retry_service.forget_market_counts() returns trigger language plpgsql as $$ begin
  delete from retry_service.action_market_counts
  ; return null; end $$;

create trigger count_markets_added after insert on retry_service.recovery_actions
  referencing new table as changed for each statement execute function retry_service.count_markets();
create trigger count_markets_removed after delete on retry_service.recovery_actions
  referencing old table as changed for each statement execute function retry_service.count_markets();
create trigger recount_markets after update on retry_service.recovery_actions for each row
  when ((old.organization, old.currency, coalesce(old.card_country, ''), date_trunc('day', old.executed_at, 'UTC'))
        is distinct from
        (new.organization, new.currency, coalesce(new.card_country, ''), date_trunc('day', new.executed_at, 'UTC')))
  execute function retry_service.recount_market();
create trigger forget_all_markets after truncate on retry_service.recovery_actions
  for each statement execute function retry_service.forget_market_counts();

-- The triggers' locks keep writers out until this is committed.
insert into retry_service.action_market_counts
select organization, currency, coalesce(card_country, ''),
       coalesce(date_trunc('day', executed_at, 'UTC'), 'infinity'), count(*)
from retry_service.recovery_actions group by 1, 2, 3, 4;

-- A filtered page is merged from the beginnings of its markets, which the counts name; one index for each order serves a
-- currency, a country and both, whether common or rare. An index for each filter and order would be eight, and still
-- leave a rare pair of a common currency and a common country to be searched for. Where the order is not that of
-- execution, each week of execution is a part of its own, so that bounds of execution are not searched for either:
-- only in the weeks that they cut are actions passed over, without visiting the table.
create index recovery_actions_market_created on retry_service.recovery_actions
  (organization, currency, coalesce(card_country, ''),
   coalesce(date_trunc('week', executed_at at time zone 'UTC'), 'infinity'), created_at, position)
  include (card_country, executed_at);
create index recovery_actions_market_ideal on retry_service.recovery_actions
  (organization, currency, coalesce(card_country, ''),
   coalesce(date_trunc('week', executed_at at time zone 'UTC'), 'infinity'), ideal_retry_at, position)
  include (card_country, executed_at);
create index recovery_actions_market_executed_asc on retry_service.recovery_actions
  (organization, currency, coalesce(card_country, ''), coalesce(executed_at, 'infinity'), position)
  include (card_country, executed_at);
create index recovery_actions_market_executed_desc on retry_service.recovery_actions
  (organization, currency, coalesce(card_country, ''), coalesce(executed_at, '-infinity'), position)
  include (card_country, executed_at);
