-- Why a record has no message for the service although it should have one, as its last mapping said; null for all others.
-- `is_reread_asked`: a person has mended the cause, and the object is to be read again.
alter table payment_retry.subscriptions add column unmapped_reason text;
alter table payment_retry.subscriptions add column is_reread_asked boolean not null default false;
alter table payment_retry.invoices add column unmapped_reason text;
alter table payment_retry.invoices add column is_reread_asked boolean not null default false;
create index subscriptions_unmapped on payment_retry.subscriptions (account, id) where unmapped_reason is not null;
create index invoices_unmapped on payment_retry.invoices (account, id) where unmapped_reason is not null;
