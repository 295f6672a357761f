-- What a case was decided for, and why an action has its status, become codes with parameters, such as
-- `{"code": "attempts_used", "used": 1, "max": 8}`. Sentences from before are kept as they are.
create function retry_service.decision_reasons(sentences text) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(jsonb_build_object('code', 'legacy_text', 'text', sentence) order by place), '[]')
  from unnest(string_to_array(nullif(sentences, ''), e'\n')) with ordinality as line (sentence, place)
$$;

create function retry_service.status_reason(sentence text) returns jsonb language sql immutable as $$
  select case
    when sentence is null then null
    when sentence in ('superseded', 'invoice_paid', 'invoice_not_unpaid', 'subscription_canceled', 'customer_forgotten',
      'sent_to_customer', 'collection_is_paused', 'no_outcome_was_reported') then jsonb_build_object('code', sentence)
    when sentence = 'to be sent again' then '{"code": "resend_asked"}'
    when sentence = 'waiting: the receiver does not answer' then '{"code": "receiver_unavailable"}'
    when sentence = 'the organization is not served any more' then '{"code": "organization_not_served"}'
    when sentence in ('not acknowledged by the receiver', 'not acknowledged: the receiver did not answer')
      then '{"code": "not_acknowledged"}'
    when starts_with(sentence, 'not acknowledged: ')
      then jsonb_build_object('code', 'not_acknowledged', 'answer', substr(sentence, length('not acknowledged: ') + 1))
    when starts_with(sentence, 'refused: ')
      then jsonb_build_object('code', 'refused', 'answer', substr(sentence, length('refused: ') + 1))
    else jsonb_build_object('code', 'legacy_text', 'text', sentence)
  end
$$;

alter table retry_service.cases
  alter column reasons drop default,
  alter column reasons type jsonb using retry_service.decision_reasons(reasons),
  alter column reasons set default '[]';
alter table retry_service.recovery_actions
  alter column reasons drop default,
  alter column reasons type jsonb using retry_service.decision_reasons(reasons),
  alter column reasons set default '[]',
  alter column status_reason type jsonb using retry_service.status_reason(status_reason);

drop function retry_service.decision_reasons(text);
drop function retry_service.status_reason(text);
