-- Failed sign-ins and wrong credentials by address, which all processes count together. Over after `until`.
create table payment_retry.guesses (
  key text primary key,
  failures integer not null,
  until timestamptz not null
);
create index guesses_until on payment_retry.guesses (until);
