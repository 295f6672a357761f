/**
 * Subscriptions and open cases, made by the database itself: each case has one action that was executed and one that is
 * outstanding.
 */
import { DateTime } from 'luxon';
import type { Database, Transaction } from '../../src/core/database/database.ts';

export interface Sizes {
  readonly subscriptions: number;
  readonly cases: number;
}

/**
 * Everything about a case follows from its number, which is its place in time too. Of a hundred cases 54 are in USD, 24 in
 * EUR, 10 in GBP; a card is mostly of its currency's country, but each of ISSUERS occurs with each of them. Two are at the
 * edge: BHD is very rare, and SEK came with the last fiftieth.
 */
const ISSUERS = [
  'US',
  'DE',
  'FR',
  'GB',
  'CA',
  'ES',
  'IT',
  'NL',
  'JP',
  'AU',
  'IE',
  'AT',
  'BE',
  'CH',
  'BR',
  'MX',
  'IN',
  'PL',
];
const CURRENCY = `case when n % 20011 = 77 then 'BHD' when n * 50 > $1::int * 49 then 'SEK'
  when n % 20 < 11 then 'USD' when n % 20 < 16 then 'EUR' when n % 20 < 18 then 'GBP' when n % 20 = 18 then 'JPY'
  else 'CAD' end`;
const HOMES = `case currency when 'USD' then 'US' when 'EUR' then 'DE' when 'GBP' then 'GB' when 'JPY' then 'JP'
  when 'SEK' then 'SE' when 'BHD' then 'BH' else 'CA' end`;
const COUNTRY = `case when n / 20 % 5 < 4 then ${HOMES} else ('{${ISSUERS.join(',')}}'::text[])[1 + n / 100 % ${ISSUERS.length}] end`;
/** All case numbers with what `columns` says of them. */
const cases = (columns: string) =>
  `(select *, ${COUNTRY} as country
    from (select n, ${CURRENCY} as currency, ${columns} from generate_series(1, $1::int) as n) as numbered) as cases`;

const FAILURE = `json_build_object(
  'id', 'ch_' || n, 'paymentGatewayTransactionId', 'ch_' || n, 'state', 'TRANSACTION_STATE_FAILED',
  'customerId', 'cus_' || n, 'subscriptionId', 'sub_' || n, 'invoiceId', 'in_' || n, 'amount', 2000,
  'currency', currency, 'createdAt', to_json(failed_at), 'updatedAt', to_json(failed_at),
  'paymentMethodType', 'card', 'paymentGatewayId', 'acct_1', 'paymentGatewayName', 'stripe',
  'paymentGatewayType', 'STRIPE', 'paymentGatewayErrorCode', 'insufficient_funds',
  'cardFingerprint', 'print_' || n, 'cardCountry', country)::text`;

const SUBSCRIPTIONS = `insert into retry_service.subscriptions
   select 'default', 'sub_' || n, 'SUBSCRIPTION_STATE_ACTIVE', now() - interval '1 day', json_build_object(
     'id', 'sub_' || n, 'state', 'SUBSCRIPTION_STATE_ACTIVE', 'customerId', 'cus_' || n, 'planId', 'price_1',
     'businessEntity', 'Example Ltd', 'amount', 2000, 'currency', 'USD', 'createdAt', '2025-11-02T10:00:00Z',
     'updatedAt', '2026-03-02T10:00:00Z', 'billingPeriod', 1,
     'billingPeriodUnit', 'BILLING_PERIOD_UNIT_MONTH')::text
   from generate_series(1, $1::int) as n`;

/** Actions are spread over sixty days; what is outstanding was asked for in the last three. */
const CASES = [
  `insert into retry_service.invoices (organization, id, customer_id, subscription_id, state, currency, updated_at, message)
   select 'default', 'in_' || n, 'cus_' || n, 'sub_' || n, 'INVOICE_STATE_UNPAID', currency, updated_at,
     json_build_object('id', 'in_' || n)::text
   from ${cases(`now() - interval '4 days' as updated_at`)}`,
  `insert into retry_service.transactions (organization, id, invoice_id, state, created_at, updated_at, message)
   select 'default', 'ch_' || n, 'in_' || n, 'TRANSACTION_STATE_FAILED', failed_at, failed_at, ${FAILURE}
   from ${cases(`now() - interval '3 days' + n * interval '1 second' as failed_at`)}`,
  `insert into retry_service.cases (organization, invoice_id, state, reason, decided_for, review_at, opened_at, updated_at)
   select 'default', 'in_' || n, 'open', 'soft_decline', 'ch_' || n, now() + interval '2 days' + n * interval '1 second',
     now() - interval '3 days', now() - interval '3 days'
   from generate_series(1, $1::int) as n`,
  `insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, subscription_id, customer_id,
     decided_for, transaction_id, payment_method_type, card_country, currency, suggestion, ideal_retry_at, reason,
     status, created_at, updated_at, executed_at, sent_at)
   select gen_random_uuid(), 'default', gen_random_uuid(), 'in_' || n, 'sub_' || n, 'cus_' || n, 'ch_0' || n,
     'ch_' || n, 'card', country, currency, 'ACTION_SUGGESTION_RETRY', at + interval '1 day', 'soft_decline', 'FAILED',
     at, at, at + interval '2 days', at
   from ${cases(`now() - interval '63 days' + n * (interval '60 days' / $1::int) as at`)}`,
  `insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, subscription_id, customer_id,
     decided_for, payment_method_type, card_country, currency, suggestion, ideal_retry_at, reason, status,
     created_at, updated_at, sent_at)
   select gen_random_uuid(), 'default', gen_random_uuid(), 'in_' || n, 'sub_' || n, 'cus_' || n, 'ch_' || n,
     'card', country, currency, 'ACTION_SUGGESTION_RETRY', at + interval '1 day', 'soft_decline', 'SENT', at, at, at
   from ${cases(`now() - interval '3 days' + n * (interval '3 days' / $1::int) as at`)}`,
];

/** The service's tables must be there and empty. */
export async function fillService(database: Database, { subscriptions, cases }: Sizes): Promise<void> {
  const fill = async (tx: Transaction) => {
    await tx.query(SUBSCRIPTIONS, [subscriptions]);
    for (const statement of CASES) await tx.query(statement, [cases]);
  };
  await database.transaction(fill, { statementMs: 3_600_000 });
  await database.exec('vacuum (analyze)');
}

/** The same subscription at another price, as of now. */
export function toSubscription(number: number): object {
  const updatedAt = DateTime.utc().toISO();
  return {
    id: `sub_${number}`,
    state: 'SUBSCRIPTION_STATE_ACTIVE',
    customerId: `cus_${number}`,
    planId: 'price_1',
    amount: 2500,
    currency: 'USD',
    createdAt: '2025-11-02T10:00:00Z',
    updatedAt,
  };
}

/** The next payment of a case fails too. */
export function toFailure(number: number, round: number): object {
  const now = DateTime.utc().toISO();
  return {
    id: `ch_bench_${round}_${number}`,
    paymentGatewayTransactionId: `ch_bench_${number}`,
    state: 'TRANSACTION_STATE_FAILED',
    customerId: `cus_${number}`,
    subscriptionId: `sub_${number}`,
    invoiceId: `in_${number}`,
    amount: 2000,
    currency: 'USD',
    createdAt: now,
    updatedAt: now,
    paymentMethodType: 'card',
    paymentGatewayId: 'acct_1',
    paymentGatewayName: 'stripe',
    paymentGatewayType: 'STRIPE',
    paymentGatewayErrorCode: 'insufficient_funds',
    cardFingerprint: `print_${number}`,
    cardCountry: 'US',
  };
}
