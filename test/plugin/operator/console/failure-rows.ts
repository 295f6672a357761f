/** Failed invoices as the other parts write them. */
import type { DateTime } from 'luxon';
import type { Database } from '../../../../src/core/database/database.ts';
import { finishEmail, reserveEmail } from '../../../../src/plugin/store/tables/retry/emails.ts';
import { recordCharge } from '../../../../src/plugin/store/tables/sync/charge-records.ts';
import { keepCards, keepPayer } from '../../../../src/plugin/store/tables/sync/payers.ts';
import { upsertInvoice } from '../../../support/database/mirror-rows.ts';

export interface FailedInvoice {
  readonly id: string;
  readonly at: DateTime;
  readonly amount?: number;
  readonly currency?: string;
  readonly name?: string;
  readonly email?: string;
  readonly reason?: string;
  /** When it was paid after all. */
  readonly paidAt?: DateTime;
}

export async function insertFailedInvoice(database: Database, failed: FailedInvoice): Promise<void> {
  const {
    id,
    at,
    amount = 2000,
    currency = 'usd',
    name = 'Ada Lovelace',
    email = 'ada@example.com',
    paidAt,
  } = failed;
  const owner = { account: 'own', customerId: `cus_${id}`, subscriptionId: `sub_${id}` };
  await keepPayer(database, 'own', {
    customer: { id: owner.customerId, name, email },
    plans: [],
  });
  await keepCards(database, owner, [{ id: `pm_${id}`, last4: '4242', country: 'DE' }]);
  const charge = (outcome: string, chargedAt: DateTime) =>
    recordCharge(database, {
      ...owner,
      id: crypto.randomUUID(),
      invoiceId: id,
      chargeId: `ch_${id}_${outcome}`,
      paymentIntent: `pi_${id}`,
      amount,
      currency,
      chargedAt,
      paymentMethod: `pm_${id}`,
      methodType: 'card',
      brand: 'visa',
      fingerprint: `fp_${id}`,
      cardExpiry: '2030-12',
      result: {
        outcome,
        ...(outcome === 'declined' ? { declineCode: failed.reason ?? 'insufficient_funds' } : {}),
      },
      message: undefined,
      version: chargedAt,
    });
  const mirror = (status: string, version: DateTime) =>
    upsertInvoice(database, {
      ...owner,
      id,
      status,
      amountRemaining: status === 'paid' ? 0 : amount,
      currency,
      attemptCount: 1,
      isFirst: false,
      nextAttemptAt: undefined,
      message: undefined,
      version,
      versionSource: 'event',
    });
  await charge('declined', at);
  await mirror('open', at);
  if (!paidAt) return;
  await charge('paid', paidAt);
  await mirror('paid', paidAt);
}

type ListedFailure = Pick<FailedInvoice, 'id' | 'at' | 'amount' | 'currency'>;

/** Many at a time, for pages of lists: nothing else knows these invoices. */
export async function insertListedFailures(
  database: Database,
  failures: readonly ListedFailure[],
): Promise<void> {
  const rows = failures.map(({ id, at, amount = 2000, currency = 'usd' }) => ({ id, at, amount, currency }));
  await database.query(
    `insert into payment_retry.failures
       (account, invoice_id, customer_id, currency, amount, state, failed_at, attempts, reason, brand, country, words)
     select 'own', id, 'cus_' || id, currency, amount, 'open', at, 1, 'insufficient_funds', 'visa', 'DE', to_tsvector('simple', 'ada')
     from jsonb_to_recordset($1) as one(id text, at timestamptz, amount bigint, currency text)`,
    [JSON.stringify(rows)],
  );
}

/** A request for another card that has gone out. */
export async function insertSentEmail(database: Database, invoiceId: string, at: DateTime): Promise<void> {
  const key = { account: 'own', template: 'card_update', step: crypto.randomUUID() };
  const copy = { subject: 'Please update your card', text: 'Hello', html: '<p>Hello</p>' };
  const sent = {
    ...key,
    invoiceId,
    copy,
    recipient: 'ada@example.com',
    messageId: `<${key.step}@x.example>`,
  };
  await reserveEmail(database, sent, at);
  await finishEmail(database, key, { state: 'sent', detail: '250 ok' }, at);
}
