-- What a connected account has set for itself. The credentials are encrypted under ACCOUNT_SETTINGS_KEY, bound to their account
-- and mode; nothing else here is a secret.
create table payment_retry.account_settings (
  account         text        not null,
  mode            text        not null check (mode in ('live', 'test', 'unknown')),
  business_entity text,
  credentials     text,
  saved_at        timestamptz not null,
  primary key (account, mode)
);
