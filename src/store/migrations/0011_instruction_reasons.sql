-- What became of an instruction: a code with its parameters, such as `{"code": "newer_instruction"}`. A sentence that has
-- no code keeps its text.
create function payment_retry.instruction_reason(sentence text, state text) returns jsonb language sql immutable as $$
  select case
    when sentence is null then null
    when state = 'failed' then jsonb_build_object('code', 'failed', 'error', sentence)
    when sentence ~ '^\w+ at \d{4}-\S+Z$' then jsonb_build_object('code', 'planned',
      'action', split_part(sentence, ' at ', 1), 'dueAt', split_part(sentence, ' at ', 2))
    when sentence = 'the type of message is not understood' then '{"code": "message_not_understood"}'
    when sentence = 'the service made no suggestion' then '{"code": "no_suggestion"}'
    when sentence = 'a newer instruction for the same invoice replaced it' then '{"code": "newer_instruction"}'
    when sentence ~ '^the suggestion .* is not understood$' then jsonb_build_object('code', 'suggestion_not_understood',
      'suggestion', substring(sentence from '^the suggestion (.*) is not understood$'))
    when sentence ~ '^stopped \d{1,9} scheduled action\(s\)$' then jsonb_build_object('code', 'actions_stopped',
      'count', substring(sentence from '\d+')::integer)
    when sentence ~ '^invoice \S+ is \S+ already$' then jsonb_build_object('code', 'invoice_settled',
      'invoiceId', split_part(sentence, ' ', 2), 'status', split_part(sentence, ' ', 4))
    when sentence ~ '^Stripe has no invoice \S+$' then jsonb_build_object('code', 'invoice_unknown',
      'invoiceId', split_part(sentence, ' ', 5))
    when starts_with(sentence, 'a person stopped it: ') then jsonb_build_object('code', 'stopped_by_person',
      'note', substr(sentence, length('a person stopped it: ') + 1))
    when sentence ~ '^account \S+ is not configured; ' then jsonb_build_object('code', 'account_not_configured',
      'account', split_part(sentence, ' ', 2))
    when sentence ~ '^access to account \S+ was revoked; ' then jsonb_build_object('code', 'access_revoked',
      'account', split_part(sentence, ' ', 4))
    when sentence ~ '^its time \S+ is more than \d{1,9} days away ' then jsonb_build_object('code', 'beyond_horizon',
      'idealRetryAt', split_part(sentence, ' ', 3), 'days', split_part(sentence, ' ', 7)::integer)
    else jsonb_build_object('code', 'legacy_text', 'text', sentence)
  end
$$;

alter table payment_retry.instructions alter column reason type jsonb using payment_retry.instruction_reason(reason, state);

update payment_retry.audit
  set detail = detail || jsonb_build_object('reason', payment_retry.instruction_reason(detail->>'reason', substr(kind, 13)))
  where starts_with(kind, 'instruction.') and jsonb_typeof(detail->'reason') = 'string';

drop function payment_retry.instruction_reason(text, text);
