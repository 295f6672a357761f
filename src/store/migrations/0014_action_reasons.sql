-- What became of an action, and why the audit says that something was decided: a code with its parameters, such as
-- `{"code": "invoice_status", "status": "paid"}`. A sentence that has no code keeps its text.

-- The rows of the audit that tell of an action's end name it from now on.
update payment_retry.audit entry set detail = entry.detail || jsonb_build_object('actionId', action.id)
  from payment_retry.actions action
  where action.account = entry.account and action.invoice_id = entry.invoice_id and action.state = 'closed'
    and entry.kind in ('guard.stopped', 'email.withheld', 'email.undeliverable', 'dunning.not_ended')
    and entry.at between action.closed_at - interval '1 minute' and action.closed_at
    and action.reason in (entry.detail->>'reason', (entry.detail->>'guard') || ': ' || (entry.detail->>'reason'),
      'no mail: ' || (entry.detail->>'reason'), 'undeliverable: ' || (entry.detail->>'reason'));

-- `words`: the longest part without a group, looked for first, because the server keeps only a few patterns compiled.
-- `names`: of the pattern's groups; with `#` a number. `fixed`: what the sentence says without a group.
create table payment_retry.old_sentences (
  id      integer generated always as identity,
  pattern text    not null,
  words   text    not null,
  code    text    not null,
  names   text[]  not null default '{}',
  fixed   jsonb   not null default '{}'
);

insert into payment_retry.old_sentences (pattern, words, code, names) values
  ('^(paid|pending)$', '', 'attempt_ended', '{outcome}'),
  ('^(declined|requires_action|not_payable) \((\w+)\)$', ' (', 'attempt_ended', '{outcome,stripeCode}'),
  ('^(declined|requires_action|not_payable) \((.+)\)$', ' (', 'attempt_ended', '{outcome,detail}'),
  ('^(declined|requires_action|not_payable)$', '', 'attempt_ended', '{outcome}'),
  ('^Stripe did not try \((\w+)\); ', 'Stripe did not try (', 'attempt_refused', '{stripeCode}'),
  ('^Stripe did not try \((.+)\); ', 'Stripe did not try (', 'attempt_refused', '{detail}'),
  ('^Stripe did not try; ', 'Stripe did not try; ', 'attempt_refused', '{}'),
  ('^the outcome is unknown \((.*)\); the same attempt is repeated$', '); the same attempt is repeated', 'attempt_unknown', '{detail}'),
  ('^whether Stripe made a charge cannot be told yet$', 'whether Stripe made a charge cannot be told yet', 'charge_not_known_yet', '{}'),
  ('^an earlier attempt on the invoice is not settled yet$', 'an earlier attempt on the invoice is not settled yet', 'earlier_attempt_unsettled', '{}'),
  ('^Stripe shows no charge for the attempt; it is made anew$', 'Stripe shows no charge for the attempt; it is made anew', 'no_charge_made', '{}'),
  ('^observed only: the invoice would have been paid now$', 'observed only: the invoice would have been paid now', 'payment_observed', '{}'),
  ('^observed only: the (\w+) mail would have been sent now$', ' mail would have been sent now', 'mail_observed', '{template}'),
  ('^(\w+) mail sent$', ' mail sent', 'mail_sent', '{template}'),
  ('^the mail was sent before$', 'the mail was sent before', 'mail_sent_before', '{}'),
  ('^a (\w+) mail went out less than (\d+) days ago$', ' mail went out less than ', 'recent_mail', '{template,#days}'),
  ('^the last attempt failed with (\S+), which a mail ', 'the last attempt failed with ', 'merchant_matter', '{because}'),
  ('^outside the customer''s sending window$', 'outside the customer''s sending window', 'outside_window', '{}'),
  ('^customer (\S+) has no e-mail address$', ' has no e-mail address', 'no_address', '{customerId}'),
  ('^there is nobody to send it to$', 'there is nobody to send it to', 'no_recipient', '{}'),
  ('^no mail server is configured \(SMTP_URL\)$', 'no mail server is configured (SMTP_URL)', 'no_mail_server', '{}'),
  ('^there is no page to send the customer to$', 'there is no page to send the customer to', 'no_page', '{}'),
  ('^replaced by instruction (.+)$', 'replaced by instruction ', 'replaced', '{requestId}'),
  ('^it was planned before a person released the invoice$', 'it was planned before a person released the invoice', 'planned_before_release', '{}'),
  ('^the customer has a new card$', 'the customer has a new card', 'new_card', '{}'),
  ('^the invoice was (paid|deleted)$', 'the invoice was ', 'invoice_ended', '{status}'),
  ('^subscription (\S+) was canceled$', 'subscription ', 'subscription_canceled', '{subscriptionId}'),
  ('^its subscription was canceled$', 'its subscription was canceled', 'subscription_canceled', '{}'),
  ('^dispute (\S+) was opened$', ' was opened', 'dispute_opened', '{disputeId}'),
  ('^the invoice is (\w+)$', 'the invoice is ', 'invoice_status', '{status}'),
  ('^it was marked uncollectible \((.*)\)$', 'it was marked uncollectible (', 'written_off', '{stripeReason}'),
  ('^a person stopped it: (.*)$', 'a person stopped it: ', 'stopped_by_person', '{note}'),
  ('^the service stopped it \(request (.*)\)$', 'the service stopped it (request ', 'stopped_by_service', '{requestId}'),
  ('^the service stopped collecting (this invoice|it)$', 'the service stopped collecting ', 'stopped_by_service', '{}'),
  ('^the customer disputes a payment of (this invoice|it)$', 'the customer disputes a payment of ', 'disputed', '{}'),
  ('^nothing remains to be paid$', 'nothing remains to be paid', 'nothing_remaining', '{}'),
  ('^the customer pays this invoice by sending money$', 'the customer pays this invoice by sending money', 'sent_to_customer', '{}'),
  ('^Stripe shows no customer for account (\S+): ', 'Stripe shows no customer for account ', 'customer_hidden', '{account}'),
  ('^customer (\S+) was deleted$', ' was deleted', 'customer_deleted', '{customerId}'),
  ('^the customer was deleted$', 'the customer was deleted', 'customer_deleted', '{}'),
  ('^subscription (\S+) is (\w+)$', 'subscription ', 'subscription_status', '{subscriptionId,status}'),
  ('^it is the first invoice of subscription (\S+), which is (\w+): ', 'it is the first invoice of subscription ', 'sign_up', '{subscriptionId,status}'),
  ('^collection of subscription (\S+) is paused(?: until (\S+))?; ', 'collection of subscription ', 'collection_paused', '{subscriptionId,until}'),
  ('^Stripe has no invoice (\S+)$', 'Stripe has no invoice ', 'invoice_unknown', '{invoiceId}'),
  ('^a payment is still processing$', 'a payment is still processing', 'processing', '{}'),
  ('^the customer has no payment method on file$', 'the customer has no payment method on file', 'no_payment_method', '{}'),
  ('^(\S+) is not, or no longer, the method chosen to pay with$', ' is not, or no longer, the method chosen to pay with', 'method_not_chosen', '{paymentMethod}'),
  ('^Stripe tries by itself at (\S+)$', 'Stripe tries by itself at ', 'stripe_tries', '{at}'),
  ('^this card was declined with (.+), which another attempt cannot mend \((\S+)\)$', ', which another attempt cannot mend (', 'hard_decline', '{because,declinedOn}'),
  ('^(.+) asks to wait$', ' asks to wait', 'decline_asks_to_wait', '{because}'),
  ('^(\d+) attempts with this card failed, the last with (.+): enough$', ' attempts with this card failed, the last with ', 'few_attempts', '{#count,because}'),
  ('^(\S+) was chosen, but its last attempt was declined with (.+)$', ' was chosen, but its last attempt was declined with ', 'chosen_card_declined', '{paymentMethod,because}'),
  ('^(\S+) was chosen, but the holder of this card told the bank of fraud \((.+)\)$', ' was chosen, but the holder of this card told the bank of fraud (', 'fraud_reported',
    '{paymentMethod,warningId}'),
  ('^the holder of this card told the bank of fraud \((.+)\)$', 'the holder of this card told the bank of fraud (', 'fraud_reported', '{warningId}'),
  ('^the card was asked for the same amount for (\S+); ', 'the card was asked for the same amount for ', 'equal_amount', '{invoiceId}'),
  ('^(\d+) hours between attempts$', ' hours between attempts', 'hours_between_attempts', '{#hours}'),
  ('^limit reached: (\d+) attempts on one invoice with one card$', ' attempts on one invoice with one card', 'attempts_on_invoice', '{#max}'),
  ('^limit reached: (.+): (\d+) presentments of one invoice$', ' presentments of one invoice', 'debit_presentments', '{scheme,#max}'),
  ('^limit reached: (.+): within (\d+) days of the first$', ' days of the first', 'debit_window_over', '{scheme,#days}'),
  ('^limit reached: (.+): the amount of the first time only, and that was (\d+), not (\d+)$', ': the amount of the first time only, and that was ', 'debit_other_amount',
    '{scheme,#first,#amount}'),
  ('^Stripe refused the key: (.*)$', 'Stripe refused the key: ', 'access_refused', '{message}'),
  ('^failed: (.*)$', 'failed: ', 'failed', '{error}'),
  ('^gave up after repeated failures: (.*)$', 'gave up after repeated failures: ', 'gave_up', '{error}'),
  ('^another action for the same customer is running$', 'another action for the same customer is running', 'customer_busy', '{}'),
  ('^it was stopped, or its run took too long; nothing was sent$', 'it was stopped, or its run took too long; nothing was sent', 'claim_lost', '{}'),
  ('^another attempt with the same card began meanwhile; ', 'another attempt with the same card began meanwhile; ', 'card_in_use', '{}'),
  ('^it was stopped( while it ran)?$', 'it was stopped', 'stopped', '{}'),
  ('^account (\S+) is not configured; ', ' is not configured; ', 'account_not_configured', '{account}'),
  ('^access to account (\S+) was revoked; ', 'access to account ', 'access_revoked', '{account}'),
  ('^RETRY_MODE is (\w+), and AFTER_GIVING_UP is (\w+)$', ', and AFTER_GIVING_UP is ', 'no_ending_chosen', '{mode,choice}'),
  ('^AFTER_GIVING_UP is (\w+)$', 'AFTER_GIVING_UP is ', 'ended_as_chosen', '{choice}'),
  ('^it was given up \(AFTER_GIVING_UP\)$', 'it was given up (AFTER_GIVING_UP)', 'given_up', '{}'),
  ('^it is not given up any more$', 'it is not given up any more', 'no_longer_given_up', '{}'),
  ('^there is a newer word on the invoice$', 'there is a newer word on the invoice', 'newer_word', '{}'),
  ('^Stripe collects it by itself, and its own setting decides$', 'Stripe collects it by itself, and its own setting decides', 'stripe_collects', '{}'),
  ('^a payment of it is under way$', 'a payment of it is under way', 'payment_under_way', '{}'),
  ('^the invoice has no subscription$', 'the invoice has no subscription', 'no_subscription', '{}'),
  ('^collection of subscription (\S+) is paused already$', 'collection of subscription ', 'paused_already', '{subscriptionId}'),
  ('^RETRY_MODE is exclusive$', 'RETRY_MODE is exclusive', 'exclusive_mode', '{}'),
  ('^nothing was asked for it in (\d+) days$', 'nothing was asked for it in ', 'nothing_asked', '{#days}'),
  ('^an operator asked for it$', 'an operator asked for it', 'operator_asked', '{}'),
  ('^the customer''s new card is (\S+), but Stripe goes on with (\S+) for this subscription$', 'the customer''s new card is ', 'card_overridden',
    '{paymentMethod,usedByStripe}');

insert into payment_retry.old_sentences (pattern, words, code, names, fixed) values
  ('^the invoice was voided$', 'the invoice was voided', 'invoice_ended', '{}', '{"status": "void"}'),
  ('^the invoice was marked uncollectible$', 'the invoice was marked uncollectible', 'invoice_ended', '{}', '{"status": "uncollectible"}'),
  ('^(?:limit reached: )?Visa: (\d+) in 30 days \(rule: (\d+)\)$', ' in 30 days (rule: ', 'attempts_with_card', '{#max,#rule}',
    '{"network": "visa", "hours": 720}'),
  ('^(?:limit reached: )?Mastercard: (\d+) in 24 hours \(rule: (\d+)\)$', ' in 24 hours (rule: ', 'attempts_with_card', '{#max,#rule}',
    '{"network": "mastercard", "hours": 24}'),
  ('^(?:limit reached: )?Mastercard: (\d+) of one amount in 30 days \(rule: (\d+)\)$', ' of one amount in 30 days (rule: ', 'attempts_with_card',
    '{#max,#rule}', '{"network": "mastercard", "hours": 720, "isOneAmount": true}'),
  ('^(?:limit reached: )?(\d+) in 30 days$', ' in 30 days', 'attempts_with_card', '{#max}', '{"hours": 720}');

create function payment_retry.match_sentence(sentence text) returns jsonb language sql stable as $$
  select jsonb_build_object('code', rule.code) || rule.fixed || coalesce((
      select jsonb_object_agg(ltrim(name, '#'),
        case when starts_with(name, '#') then to_jsonb(value::numeric) else to_jsonb(value) end)
      from unnest(rule.names, regexp_match(sentence, rule.pattern)) as part(name, value)
      where name is not null and value is not null), '{}')
    from payment_retry.old_sentences rule 
    where case when position(rule.words in sentence) > 0 then sentence ~ rule.pattern end order by rule.id limit 1
$$;

create function payment_retry.read_sentence(sentence text, account text) returns jsonb language sql stable as $$
  select case
    when sentence is null then null
    when sentence = 'access was revoked' then jsonb_build_object('code', 'access_revoked', 'account', account)
    else coalesce(payment_retry.match_sentence(regexp_replace(sentence, '^(stopped|status|disputed|amount_remaining|collection_method|customer|subscription|sign_up|pause_collection|processing|payment_method|stripe_retry_near|fraud_reported|hard_decline|few_attempts|equal_amount|network_limits|stripe_collects|payment_under_way|no mail|undeliverable): ', '')),
      case when starts_with(sentence, 'undeliverable: ')
        then jsonb_build_object('code', 'mail_not_taken', 'answer', substr(sentence, length('undeliverable: ') + 1)) end,
      jsonb_build_object('code', 'legacy_text', 'text', sentence))
  end
$$;

alter table payment_retry.actions alter column reason type jsonb using payment_retry.read_sentence(reason, account);

update payment_retry.audit set detail = case
    when starts_with(kind, 'operator.') then (detail - 'reason') || jsonb_build_object('note', detail->'reason')
    when kind = 'email.undeliverable' then detail
      || jsonb_build_object('reason', payment_retry.read_sentence('undeliverable: ' || (detail->>'reason'), account))
    else detail || jsonb_build_object('reason', payment_retry.read_sentence(detail->>'reason', account)) end
  where jsonb_typeof(detail->'reason') = 'string';

update payment_retry.audit
  set detail = (detail - 'detail') || jsonb_build_object('reason',
    jsonb_build_object('code', 'attempt_unknown', 'detail', detail->'detail'))
  where kind = 'attempt.unknown' and jsonb_typeof(detail->'detail') = 'string';

drop function payment_retry.read_sentence(text, text);
drop function payment_retry.match_sentence(text);
drop table payment_retry.old_sentences;
