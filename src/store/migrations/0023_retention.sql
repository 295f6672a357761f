-- A body goes once it is old, and one that nothing is done about is never kept.
alter table payment_retry.events alter column payload drop not null;

-- What is old is found without reading what is not. Ages are by Stripe's clock where it tells one.
create index events_with_body on payment_retry.events (created_at)
  where payload is not null and processed_at is not null and results->0->>'code' <> 'dead';
create index events_without_body on payment_retry.events (created_at) where payload is null;
create index instructions_with_body on payment_retry.instructions (handled_at) where body <> '' and state <> 'failed';
create index emails_addressed on payment_retry.emails (sent_at) where recipient <> '';
create index invoices_settled on payment_retry.invoices (version, account, id)
  where status in ('paid', 'void', 'uncollectible', 'deleted');
