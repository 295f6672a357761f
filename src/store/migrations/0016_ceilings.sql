-- Ceilings. An action in the state `undecided` waits for a person: its payment is above what a new card may pay at once.
-- What a customer's new cards paid within a day is added up from the attempts.
create index attempts_customer on payment_retry.attempts (account, customer_id, started_at) where source = 'ours';
create index actions_undecided on payment_retry.actions (account, invoice_id) where state = 'undecided';
-- How many charges the whole installation began in each minute.
create table payment_retry.charge_minutes (
  minute  timestamptz primary key,
  charges integer     not null
);
