-- What the API answered under an idempotency key. `request`: a digest of what was asked. `status`: null while it is answered.
create table payment_retry.api_answers (
  key        text        primary key,
  request    text        not null,
  status     integer,
  body       jsonb,
  created_at timestamptz not null
);
create index api_answers_created on payment_retry.api_answers (created_at);
