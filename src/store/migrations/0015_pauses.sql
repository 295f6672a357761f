-- The kill switch: one account, or '*' for all of them. While a row is there, nothing is paid, mailed or written to Stripe for
-- the account; what comes in is received, mapped, forwarded and planned, and what falls due waits.
create table payment_retry.pauses (
  account   text        primary key,
  reason    text        not null,
  paused_by text        not null,
  paused_at timestamptz not null
);
