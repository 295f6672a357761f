-- Until when a person wants an invoice neither charged nor mailed about, whatever the service asks.
create table payment_retry.postponements (
  account    text        not null,
  invoice_id text        not null,
  until      timestamptz not null,
  note       text,
  primary key (account, invoice_id)
);
