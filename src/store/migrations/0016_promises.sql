-- Until then, a last notice says, nothing is ended.
alter table payment_retry.emails add column promised_at timestamptz;
