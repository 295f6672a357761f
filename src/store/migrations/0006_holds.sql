-- A person's word on an invoice. Held: nobody collects it. Released: what stood in the way before that is forgiven.
create table payment_retry.holds (
  account     text        not null,
  invoice_id  text        not null,
  reason      text        not null,
  held_at     timestamptz,
  released_at timestamptz,
  primary key (account, invoice_id)
);
