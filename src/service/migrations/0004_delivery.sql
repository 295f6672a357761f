-- A callback address that fails; one that answers has no row. `failures` are those in a row of more than one instruction.
-- Nothing is sent before `open_until`; after it one instruction at a time tries, for at most until `probe_until`.
create table retry_service.callback_receivers (
  address       text        primary key,
  failures      integer     not null,
  last_failed   text        not null,
  last_answer   text        not null,
  failing_since timestamptz not null,
  pause_seconds integer     not null default 0,
  open_until    timestamptz,
  probe_until   timestamptz
);

-- `listed_at`: the organization has read it in the listing while it was outstanding, so it may be carried out though no
-- callback was acknowledged. `undeliverable_at`: sending was given up. A person may ask for it again (`resend_asked_at`); the
-- days for which it is sent then count from `send_since`.
alter table retry_service.recovery_actions add column listed_at timestamptz;
alter table retry_service.recovery_actions add column undeliverable_at timestamptz;
alter table retry_service.recovery_actions add column is_refused boolean not null default false;
alter table retry_service.recovery_actions add column send_since timestamptz;
alter table retry_service.recovery_actions add column resend_asked_at timestamptz;
create index recovery_actions_undeliverable on retry_service.recovery_actions (undeliverable_at)
  where undeliverable_at is not null;
create index recovery_actions_resend on retry_service.recovery_actions (resend_asked_at)
  where resend_asked_at is not null;
