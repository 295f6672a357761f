-- By what a failure of a forgotten customer is found: its ids.
create function payment_retry.words_of_ids(invoice text, customer text, subscription text) returns tsvector
language sql immutable as $$
  select to_tsvector('simple', replace(invoice || ' ' || coalesce(customer, '') || ' ' || coalesce(subscription, ''), '_', ' '))
$$;

-- Whichever way they come: a row may be drawn from names that were read before they went, and a listener's complaint may name
-- whom it was told of.
create function payment_retry.forget_failure() returns trigger language plpgsql as $$ begin
  if payment_retry.is_forgotten(new.account, new.customer_id) then
    new.words := payment_retry.words_of_ids(new.invoice_id, new.customer_id, new.subscription_id); new.country := null; end if
  ; return new; end $$;
create trigger forget before insert or update on payment_retry.failures
  for each row execute function payment_retry.forget_failure();

create function payment_retry.forget_event() returns trigger language plpgsql as $$ begin
  if payment_retry.is_of_forgotten(new.account, new.invoice_id) then
    new.detail := payment_retry.without_words(new.detail); new.problem := null; end if
  ; return new; end $$;
create trigger forget before insert or update on payment_retry.host_events
  for each row execute function payment_retry.forget_event();
