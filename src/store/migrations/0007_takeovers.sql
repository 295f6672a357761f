-- Invoices whose automatic collection by Stripe we ended (`exclusive` mode), until they are given back.
create table payment_retry.takeovers (
  account        text        not null,
  invoice_id     text        not null,
  taken_over_at  timestamptz not null,
  handed_back_at timestamptz,
  primary key (account, invoice_id)
);
create index takeovers_held on payment_retry.takeovers (taken_over_at) where handed_back_at is null;
