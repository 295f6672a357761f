-- Cards whose holder denied a payment: a dispute for fraud, or an early fraud warning. A row that is lifted lifts all about its charge.
create table payment_retry.card_warnings (
  account        text not null,
  id             text not null,
  charge_id      text not null,
  fingerprint    text,
  payment_method text,
  opened_at      timestamptz not null,
  lifted_at      timestamptz,
  primary key (account, id)
);
create index card_warnings_card on payment_retry.card_warnings (account, fingerprint);
create index card_warnings_method on payment_retry.card_warnings (account, payment_method);
create index card_warnings_charge on payment_retry.card_warnings (account, charge_id) where lifted_at is not null;
