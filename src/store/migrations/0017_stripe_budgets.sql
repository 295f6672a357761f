-- How many requests the processes together may send to Stripe, by account and by endpoint: a bucket of tokens each. A process
-- takes several at once. `pace` is what Stripe last let us have a second; it grows back from `slowed_at` on.
create unlogged table payment_retry.stripe_budgets (
  key         text             primary key,
  tokens      double precision not null,
  -- What the last asker got.
  granted     integer          not null,
  refilled_at timestamptz      not null,
  pace        double precision not null,
  slowed_at   timestamptz
);
