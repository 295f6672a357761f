-- What the service's listing holds, one row a record. `body` is text for the same reason as `events.payload`.
-- `fate`: `waiting` to be applied as an instruction, `applied`, `known` (its callback had come), `history`, or
-- `unreadable`, with the `problem`.
create table payment_retry.recovery_actions (
  account           text        not null,
  id                text        not null,
  position          bigint      generated always as identity,
  request_id        text,
  invoice_id        text,
  subscription_id   text,
  type              text,
  status            text,
  suggestion        text,
  ideal_retry_at    timestamptz,
  created_at        timestamptz,
  executed_at       timestamptz,
  record_updated_at timestamptz,
  body              text        not null,
  problem           text,
  fate              text        not null,
  first_seen_at     timestamptz not null,
  updated_at        timestamptz not null,
  primary key (account, id)
);
create index recovery_actions_invoice on payment_retry.recovery_actions (account, invoice_id);
create index recovery_actions_waiting on payment_retry.recovery_actions (account, created_at) where fate = 'waiting';

-- When the service gave an instruction, which for a listed one is before it was seen. Never goes back with `position`
-- among those that came by callback, so that their order of arrival is kept though the clock was moved back.
alter table payment_retry.instructions add column issued_at timestamptz;
update payment_retry.instructions i set issued_at = o.at
  from (select account, request_id,
               max(received_at) over (partition by account, invoice_id order by position) as at
        from payment_retry.instructions) o
  where o.account = i.account and o.request_id = i.request_id;
alter table payment_retry.instructions alter column issued_at set not null;
