-- Why a record is not forwarded and what interrupted a run become codes with parameters, such as
-- `{"code": "price_without_amount", "priceId": "price_1"}`, and so does what we said of an attempt ourselves:
-- `attempts.detail` is Stripe's message and nothing else.
create function payment_retry.unmapped_reason(sentence text) returns jsonb language sql immutable as $$
  select case
    when sentence is null then null
    when sentence ~ '^unknown (invoice|charge) status ' then jsonb_build_object('code', 'unknown_status',
      'object', split_part(sentence, ' ', 2), 'status', substring(sentence from '^unknown \w+ status (.*)$'))
    when sentence = 'items has more pages than the object shows' then '{"code": "items_missing"}'::jsonb
    when sentence = 'the subscription has no items' then '{"code": "no_items"}'
    when sentence = 'no item has a recurring price' then '{"code": "no_recurring_price"}'
    when sentence = 'the amount is too large for an exact integer' then '{"code": "amount_too_large"}'
    when sentence ~ '^price \S+ is in \S+, its amount in \S+ needs currency_options$' then jsonb_build_object(
      'code', 'price_not_in_currency', 'priceId', split_part(sentence, ' ', 2),
      'priceCurrency', rtrim(split_part(sentence, ' ', 5), ','), 'currency', split_part(sentence, ' ', 9))
    when sentence ~ '^price \S+ is tiered, its tiers are missing$' then
      jsonb_build_object('code', 'price_tiers_missing', 'priceId', split_part(sentence, ' ', 2))
    when sentence ~ '^price \S+ has the unknown (rounding|billing scheme|tiers mode) ' then jsonb_build_object(
      'code', 'price_unknown', 'priceId', split_part(sentence, ' ', 2),
      'part', replace(substring(sentence from 'unknown (rounding|billing scheme|tiers mode) '), ' ', '_'),
      'value', substring(sentence from 'unknown (?:rounding|billing scheme|tiers mode) (.*)$'))
    when sentence ~ '^price \S+ has an unreadable option: ' then jsonb_build_object('code', 'price_option_unreadable',
      'priceId', split_part(sentence, ' ', 2), 'problem', substring(sentence from 'unreadable option: (.*)$'))
    when sentence ~ '^price \S+ has no unit amount$' then
      jsonb_build_object('code', 'price_without_amount', 'priceId', split_part(sentence, ' ', 2))
    when sentence ~ '^price \S+ has no tier for \d+ units$' then jsonb_build_object('code', 'price_without_tier',
      'priceId', split_part(sentence, ' ', 2), 'units', split_part(sentence, ' ', 7))
    else jsonb_build_object('code', 'unreadable_object', 'problem', sentence)
  end
$$;

create function payment_retry.interruption(sentence text) returns jsonb language sql immutable as $$
  select case
    when sentence is null then null
    when sentence ~ '^Stripe refuses the key \(\d+\): ' then jsonb_build_object('code', 'stripe_refuses_key',
      'status', substring(sentence from '\((\d+)\)')::integer, 'message',
      replace(substring(sentence from '^[^:]*: (.*)$'), ' Allow it to read subscriptions, invoices and charges.', ''))
    when sentence ~ '^Stripe answered \d+: ' then jsonb_build_object('code', 'stripe_answered',
      'status', substring(sentence from '\d+')::integer, 'message', substring(sentence from '^[^:]*: (.*)$'))
    when starts_with(sentence, 'Stripe gave no answer: ') then jsonb_build_object('code', 'stripe_gave_no_answer',
      'message', substring(sentence from '^[^:]*: (.*)$'))
    else jsonb_build_object('code', 'failed', 'error', sentence)
  end
$$;

create function payment_retry.unknown_outcome(detail text) returns jsonb language sql immutable as $$
  select '{"code": "attempt_unknown"}'::jsonb || case
    when detail is null or detail = 'the answer is not an invoice' then '{}'
    when detail ~ '^Stripe answered \d+: ' then jsonb_build_object(
      'status', substring(detail from '\d+')::integer, 'error', substring(detail from '^[^:]*: (.*)$'))
    else jsonb_build_object('error', regexp_replace(detail, '^Stripe answered nothing: ', ''))
  end
$$;

-- A column that a trigger names cannot change its type.
drop trigger recount_subscriptions on payment_retry.subscriptions;
drop trigger recount_invoices on payment_retry.invoices;
alter table payment_retry.subscriptions
  alter column unmapped_reason type jsonb using payment_retry.unmapped_reason(unmapped_reason);
alter table payment_retry.invoices
  alter column unmapped_reason type jsonb using payment_retry.unmapped_reason(unmapped_reason);
create trigger recount_subscriptions after update
  of version, message, delivered_version, refused_version, unmapped_reason, dismissed_version on payment_retry.subscriptions
  for each row execute function payment_retry.recount_subscriptions();
create trigger recount_invoices after update of unmapped_reason on payment_retry.invoices
  for each row execute function payment_retry.recount_invoices();
alter table payment_retry.backfill_runs alter column reason type jsonb using payment_retry.interruption(reason);

update payment_retry.actions set reason = payment_retry.unknown_outcome(reason->>'detail')
  where reason->>'code' = 'attempt_unknown';
update payment_retry.audit
  set detail = detail || jsonb_build_object('reason', payment_retry.unknown_outcome(detail->'reason'->>'detail'))
  where detail->'reason'->>'code' = 'attempt_unknown';

update payment_retry.attempts set detail = null, code = case when starts_with(detail, 'Stripe has no invoice ')
      then 'invoice_unknown' else 'no_charge_found' end
  where outcome = 'not_executed';
update payment_retry.attempts set detail = null
  where detail in ('there is nothing to charge', 'the holder of the card told the bank of fraud')
    and code in ('missing_payment_method', 'card_reported_fraudulent')
    or outcome = 'declined' and detail = 'declined';
update payment_retry.audit set detail = (detail - 'detail') || jsonb_build_object('code',
      case when starts_with(detail->>'detail', 'Stripe has no invoice ') then 'invoice_unknown' else 'no_charge_found' end)
  where kind = 'attempt.not_executed';

drop function payment_retry.unmapped_reason(text);
drop function payment_retry.interruption(text);
drop function payment_retry.unknown_outcome(text);
