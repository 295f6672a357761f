-- The events of an account that wait are taken together, but for those that are set apart: each of them has a job of its own.
alter table payment_retry.events add column is_apart boolean not null default false;
create index events_waiting on payment_retry.events (account, is_apart, received_at) where processed_at is null;
drop index payment_retry.events_unprocessed;
