-- Renewals that come near, and what each subscription last paid with. Times are ISO 8601 in UTC, so their text has their order.
create index subscriptions_renewal on payment_retry.subscriptions ((message->>'expiresAt')) where status in ('active', 'trialing');
create index attempts_paid on payment_retry.attempts (account, subscription_id, started_at) where outcome = 'paid';
