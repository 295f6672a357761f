-- What became of an event: one code with its parameters for each step that looked at it, such as
-- `[{"code": "mirrored"}, {"code": "no_new_charge"}]`. A sentence that has no code keeps its text.
create function payment_retry.event_result(sentence text) returns jsonb language sql immutable as $$
  select case
    when sentence = 'mirrored' then '{"code": "mirrored"}'::jsonb
    when sentence = 'mirrored after reading it again' then '{"code": "mirrored", "isReread": true}'
    when sentence = 'mirrored the end of a subscription that Stripe no longer has' then '{"code": "mirrored_end"}'
    when sentence = 'stale: a newer state is stored' then '{"code": "stale"}'
    when sentence = 'deleted' then '{"code": "deleted"}'
    when sentence = 'unmappable even after reading it again' then '{"code": "unmappable"}'
    when sentence = 'no new charge' then '{"code": "no_new_charge"}'
    when sentence ~ '^\d{1,9} charge\(s\)$' then
      jsonb_build_object('code', 'charges_recorded', 'count', split_part(sentence, ' ', 1)::integer)
    when sentence = 'an attempt of ours: its own record tells of it' then '{"code": "own_attempt"}'
    when sentence = 'no charge was made: no code' then '{"code": "failure_recorded"}'
    when sentence ~ '^no charge was made: \S+$' then
      jsonb_build_object('code', 'failure_recorded', 'failure', substring(sentence from '\S+$'))
    when sentence = 'no new card' then '{"code": "no_new_card"}'
    when sentence ~ '^new card \S+$' then
      jsonb_build_object('code', 'new_card', 'paymentMethod', split_part(sentence, ' ', 3))
    when sentence = 'no payment waits for the customer' then '{"code": "customer_not_awaited"}'
    when sentence ~ '^\S+ waits for the customer$' then
      jsonb_build_object('code', 'customer_awaited', 'paymentIntent', split_part(sentence, ' ', 1))
    when sentence = 'Stripe''s own retries stay on in this mode' then '{"code": "stripe_retries_kept"}'
    when sentence = 'Stripe''s own retries are off already' then '{"code": "stripe_retries_off"}'
    when sentence = 'the customer pays this invoice by sending money' then '{"code": "sent_to_customer"}'
    when sentence = 'taken over' then '{"code": "taken_over"}'
    when sentence ~ '^stopped \S+$' then
      jsonb_build_object('code', 'collection_stopped', 'invoiceId', split_part(sentence, ' ', 2))
    when sentence = 'stopped' then '{"code": "collection_stopped"}'
    when sentence = 'no invoice belongs to the disputed charge' then '{"code": "no_disputed_invoice"}'
    when sentence = 'no card is to be left alone' then '{"code": "no_card_warned"}'
    when sentence ~ '^\S+ stands against its card$' then
      jsonb_build_object('code', 'card_warned', 'warningId', split_part(sentence, ' ', 1))
    when sentence ~ '^\S+ no longer stands against its card$' then
      jsonb_build_object('code', 'card_cleared', 'warningId', split_part(sentence, ' ', 1))
    when sentence ~ '^gone: Stripe no longer has (this invoice|this subscription)$' then
      jsonb_build_object('code', 'gone', 'object', split_part(sentence, ' ', 7))
    when sentence ~ '^gone: Stripe no longer has charge ' then '{"code": "gone", "object": "charge"}'
    when sentence = 'ignored: no use for this type' then '{"code": "ignored_type"}'
    when sentence ~ '^ignored: not an? (customer|dispute|invoice|subscription)$' then
      jsonb_build_object('code', 'ignored_object', 'expected', split_part(sentence, ' ', 4))
    when sentence ~ '^ignored: a (live|test) event, and STRIPE_SECRET_KEY ' then
      jsonb_build_object('code', 'ignored_mode', 'isLive', split_part(sentence, ' ', 3) = 'live')
    when sentence = 'ignored: our own account is not a connected one' then '{"code": "own_account"}'
    when sentence = 'access was given' then '{"code": "access_given"}'
    when sentence = 'dead' then '{"code": "dead"}'
    else jsonb_build_object('code', 'legacy_text', 'text', sentence)
  end
$$;

-- These have the mark that stands between two steps in their sentence.
create function payment_retry.event_results(sentence text) returns jsonb language sql immutable as $$
  select case
    when sentence is null then null
    when sentence ~ '^ignored: account \S+ is not configured; ' then jsonb_build_array(
      jsonb_build_object('code', 'account_not_configured', 'account', split_part(sentence, ' ', 3)))
    when sentence ~ '^ignored: access to account \S+ was revoked; ' then jsonb_build_array(
      jsonb_build_object('code', 'access_revoked', 'account', split_part(sentence, ' ', 5)))
    when sentence = 'access was revoked; work for the account stops' then '[{"code": "access_withdrawn"}]'::jsonb
    else (select jsonb_agg(payment_retry.event_result(step) order by place)
          from unnest(string_to_array(sentence, '; ')) with ordinality as steps(step, place))
  end
$$;

alter table payment_retry.events alter column result type jsonb using payment_retry.event_results(result);
alter table payment_retry.events rename column result to results;

drop function payment_retry.event_results(text);
drop function payment_retry.event_result(text);
