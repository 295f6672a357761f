-- Until when the card was good that an attempt was made with, as `2030-04`: the same number with another expiry is a card
-- that was renewed, and what was said of the old one does not bind it. Unknown for what was recorded before.
alter table payment_retry.attempts add column card_expiry text;
