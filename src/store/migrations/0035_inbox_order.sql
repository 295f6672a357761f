-- In the order in which they are taken, so that a long inbox is not sorted for each batch.
drop index payment_retry.events_waiting;
create index events_waiting on payment_retry.events (account, is_apart, received_at, id) where processed_at is null;

-- Takes a third of the time that pglz does. PostgreSQL 13, and one that was built without it (the embedded database is), keep pglz.
do $$ begin
  execute 'alter table payment_retry.events alter column payload set compression lz4';
exception when feature_not_supported or syntax_error then null;
end $$;
