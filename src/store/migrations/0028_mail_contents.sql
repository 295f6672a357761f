-- What a mail said, with the token of its link taken out: a link is a way in. It goes with the address, and with who is forgotten.
alter table payment_retry.emails add column subject text;
alter table payment_retry.emails add column body_text text;
alter table payment_retry.emails add column body_html text;

create index emails_latest on payment_retry.emails (created_at desc, step desc);
create index emails_not_sent on payment_retry.emails (created_at desc, step desc) where state <> 'sent';
create index emails_recipient on payment_retry.emails (lower(recipient), created_at desc, step desc);
create index emails_step on payment_retry.emails (step);
create index emails_about on payment_retry.emails (invoice_id, created_at desc);

-- A mail that is on its way while its customer is forgotten is not written down again. A body has no semicolon at the end of a
-- line: there the migration's statements are split.
create function payment_retry.forget_mail() returns trigger language plpgsql as $$ begin
  if payment_retry.is_of_forgotten(new.account, new.invoice_id) then
    new.recipient := ''; new.detail := null; new.subject := null; new.body_text := null; new.body_html := null; end if
  ; return new; end $$;
create trigger forget before insert or update on payment_retry.emails
  for each row execute function payment_retry.forget_mail();
