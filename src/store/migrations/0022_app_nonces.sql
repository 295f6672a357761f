-- Requests of the Stripe App that changed something. A signature is good for five minutes: within them the nonce keeps it
-- from being used a second time. Rows go after a day.
create table payment_retry.app_nonces (
  account text        not null,
  nonce   text        not null,
  used_at timestamptz not null,
  primary key (account, nonce)
);
create index app_nonces_age on payment_retry.app_nonces (used_at);
