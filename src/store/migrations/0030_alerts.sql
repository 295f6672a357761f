-- What needs a person's attention, by the code that `status` has for it. What is no longer seen goes.
create table payment_retry.alerts (
  concern      text        primary key,
  since        timestamptz not null,
  last_seen_at timestamptz not null
);
