/** Rows of a failed invoice, as the plugin writes them. */
import { randomUUID } from 'node:crypto';
import type { DateTime } from 'luxon';
import type { Database } from '../../../../src/core/database/database.ts';
import { insertAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import { recordInstruction } from '../../../../src/plugin/store/tables/retry/instructions.ts';
import { NOW } from './app-harness.ts';

export interface StoredCase {
  account?: string;
  id: string;
  customerId?: string;
  subscriptionId?: string;
  status?: string;
  amount?: number;
  currency?: string;
}

export async function insertInvoice(database: Database, stored: StoredCase): Promise<void> {
  const { account = 'own', id, customerId = 'cus_1', subscriptionId = 'sub_1' } = stored;
  const { status = 'open', amount = 1_250, currency = 'eur' } = stored;
  await database.query(
    `insert into payment_retry.invoices (account, id, customer_id, subscription_id, status, amount_remaining, currency,
       attempt_count, version, version_source)
     values ($1, $2, $3, $4, $5, $6, $7, 1, $8, 'event')`,
    [account, id, customerId, subscriptionId, status, amount, currency, NOW.toISO()],
  );
}

export async function insertPlanned(
  database: Database,
  { account = 'own', id, customerId = 'cus_1', subscriptionId = 'sub_1' }: StoredCase,
  dueAt: DateTime = NOW.plus({ hours: 20 }),
  kind: 'pay' | 'card_update_email' = 'pay',
): Promise<string> {
  const action = randomUUID();
  await insertAction(database, {
    id: action,
    account,
    cause: 'instruction',
    reference: action,
    kind,
    invoiceId: id,
    customerId,
    subscriptionId,
    requestId: undefined,
    paymentMethod: undefined,
    dueAt,
    createdAt: NOW,
  });
  return action;
}

export async function insertInstruction(
  database: Database,
  { account = 'own', id }: StoredCase,
  requestId: string,
): Promise<void> {
  await recordInstruction(database, {
    account,
    requestId,
    source: 'callback',
    receivedAt: NOW.minus({ hours: 1 }),
    type: 'retry',
    invoiceId: id,
    subscriptionId: undefined,
    suggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryAt: NOW.plus({ hours: 20 }),
    body: '{}',
  });
}

export async function insertAttempt(
  database: Database,
  { account = 'own', id, customerId = 'cus_1', amount = 1_250, currency = 'eur' }: StoredCase,
  attempt: {
    outcome: string;
    declineCode?: string;
    fingerprint?: string;
    hoursAgo?: number;
    source?: string;
    paymentIntent?: string;
  },
): Promise<void> {
  const {
    outcome,
    declineCode = null,
    fingerprint = 'fp_1',
    hoursAgo = 5,
    source = 'stripe',
    paymentIntent = null,
  } = attempt;
  const at = NOW.minus({ hours: hoursAgo }).toISO();
  await database.query(
    `insert into payment_retry.attempts (id, account, invoice_id, customer_id, source, fingerprint, brand, method_type,
       amount, currency, charge_id, started_at, finished_at, outcome, code, decline_code, payment_intent)
     values ($1, $2, $3, $4, $5, $6, 'visa', 'card', $7, $8, $9, $10, $10, $11, $12, $13, $14)`,
    [
      randomUUID(),
      account,
      id,
      customerId,
      source,
      fingerprint,
      amount,
      currency,
      `ch_${randomUUID()}`,
      at,
      outcome,
      outcome === 'declined' ? 'card_declined' : null,
      declineCode,
      paymentIntent,
    ],
  );
}
