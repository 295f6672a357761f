-- How often a dead event was put back. Part of its job's id: the queue still has the job that failed under the old one.
alter table payment_retry.events add column replays integer not null default 0;
