-- When giving an invoice back to Stripe was last refused: it is looked at again a day later.
alter table payment_retry.takeovers add column kept_at timestamptz;
