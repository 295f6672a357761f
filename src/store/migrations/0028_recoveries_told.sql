-- A recovery is told of when its row in `failures` says so: in whichever order the failure and the payment became known, and no
-- payment waits for it. What had been paid before anybody listened, as a backfill finds it, is told to nobody.
alter table payment_retry.event_channels add column opened_at timestamptz;
update payment_retry.event_channels set opened_at = now() - interval '1 day';
alter table payment_retry.event_channels alter column opened_at set not null;

drop trigger tell_paid on payment_retry.invoices;
drop trigger tell_paid_first on payment_retry.invoices;
drop function payment_retry.tell_paid();

create function payment_retry.tell_recovered() returns trigger language plpgsql as $$ begin
  if tg_op = 'UPDATE' and old.state = 'recovered' then return null; end if
  ; insert into payment_retry.host_events (channel, event_id, type, account, invoice_id, at, detail, next_at)
  select channel, md5('paid ' || new.account || ' ' || new.invoice_id)::uuid, 'recovered', new.account, new.invoice_id, new.ended_at,
    jsonb_build_object('customer', new.customer_id, 'subscription', new.subscription_id, 'currency', new.currency,
      'amount', new.amount), new.ended_at
  from payment_retry.event_channels where opened_at <= new.ended_at
  ; return null; end $$;
create trigger tell_recovered after insert or update on payment_retry.failures for each row
  when (new.state = 'recovered') execute function payment_retry.tell_recovered();
