-- Accounts connected to ours that something came from, or that the settings list. Both times are Stripe's and only
-- ever grow, so that it does not matter in which order their events come.
create table payment_retry.accounts (
  account         text        primary key,
  first_seen_at   timestamptz not null,
  authorized_at   timestamptz,
  deauthorized_at timestamptz
);
