-- Customers of whom nothing personal is to be kept, whatever comes about them later. `finished_at`: all that was there is gone,
-- but what limits of their cards need for 30 days; `is_settled`: that, too.
create table payment_retry.forgotten (
  account     text        not null,
  customer_id text        not null,
  asked_at    timestamptz not null,
  finished_at timestamptz,
  is_settled  boolean     not null default false,
  primary key (account, customer_id)
);

create index forgotten_unsettled on payment_retry.forgotten (asked_at) where not is_settled;
create index forgotten_unfinished on payment_retry.forgotten (asked_at) where finished_at is null;

-- Whom an event is about: the customer's id, or that of a charge where it names no customer; '' for nobody. Null for what was
-- recorded before: there the bodies are searched.
alter table payment_retry.events add column person text;
create index events_of_person on payment_retry.events (account, person) where payload is not null and person is not null;
create index events_of_unknown on payment_retry.events (account, id) where payload is not null and person is null;

create function payment_retry.is_forgotten(of_account text, of_customer text) returns boolean language sql stable as $$
  select exists (select 1 from payment_retry.forgotten where account = of_account and customer_id = of_customer)
$$;

create function payment_retry.is_of_forgotten(of_account text, of_invoice text) returns boolean language sql stable as $$
  select exists (select 1 from payment_retry.forgotten f where f.account = of_account and f.customer_id in (
    select customer_id from payment_retry.invoices where account = of_account and id = of_invoice
    union all select customer_id from payment_retry.subscriptions where account = of_account and id = of_invoice))
$$;

-- Words of people and of other systems; their places stay, as code reads them. A body has no semicolon at the end of a line:
-- there the migration's statements are split.
create function payment_retry.without_words(detail jsonb) returns jsonb language plpgsql immutable as $$ begin
  return case when jsonb_typeof(detail) <> 'object' then detail else (
    select coalesce(jsonb_object_agg(key, case
      when jsonb_typeof(value) = 'object' then payment_retry.without_words(value)
      when jsonb_typeof(value) = 'string' and key in ('note', 'error', 'answer', 'text', 'message', 'detail', 'problem', 'value',
        'recipient', 'paymentGatewayErrorMessage') then '""'::jsonb
      else value end), '{}') from jsonb_each(detail)) end
  ; end $$;

-- What the service is told of a payment, without its card.
create function payment_retry.without_card(message jsonb) returns jsonb language sql immutable as $$
  select message - array['cardBrand', 'cardBin', 'cardFingerprint', 'cardCountry', 'cardExpiry', 'cardFunding',
    'paymentGatewayErrorMessage']
$$;

-- Whichever way it comes, nothing personal of a forgotten customer is written again. What the 30-day limits of a card need stays
-- until they are over.
create function payment_retry.forget_attempt() returns trigger language plpgsql as $$ declare known payment_retry.forgotten; begin
  select * into known from payment_retry.forgotten where account = new.account and customer_id = new.customer_id
  ; if known.asked_at is null then return new; end if
  ; new.detail := null; new.message := payment_retry.without_card(new.message)
  ; if known.is_settled or new.started_at < known.asked_at - interval '30 days' then new.fingerprint := null; new.card_expiry := null; end if
  ; return new; end $$;
create trigger forget before insert or update on payment_retry.attempts
  for each row execute function payment_retry.forget_attempt();

create function payment_retry.forget_body() returns trigger language plpgsql as $$ begin
  if payment_retry.is_of_forgotten(new.account, new.invoice_id) then new.body := ''; end if
  ; return new; end $$;
create trigger forget before insert or update of body on payment_retry.instructions
  for each row execute function payment_retry.forget_body();
create trigger forget before insert or update of body on payment_retry.recovery_actions
  for each row execute function payment_retry.forget_body();

create function payment_retry.forget_case() returns trigger language plpgsql as $$ begin
  if payment_retry.is_of_forgotten(new.account, new.invoice_id) then new.reasons := ''; end if
  ; return new; end $$;
create trigger forget before insert or update on payment_retry.recovery_cases
  for each row execute function payment_retry.forget_case();

create function payment_retry.forget_name() returns trigger language plpgsql as $$ begin
  if payment_retry.is_forgotten(new.account, new.id) then return null; end if
  ; return new; end $$;
create trigger forget before insert or update on payment_retry.customers
  for each row execute function payment_retry.forget_name();
