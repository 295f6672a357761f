import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/store/engine/database.ts';
import { migratePlugin } from '../../../src/store/engine/migrate.ts';
import { type Reason, readReason } from '../../../src/store/reasons/reason.ts';
import { openBefore } from '../../support/database-before.ts';
import { ENGINES } from '../../support/databases.ts';

const ISO = '2026-11-30T10:00:00.000Z';

/** As they were written before there were codes. */
const SENTENCES: readonly [string, Reason][] = [
  ['paid', { code: 'attempt_ended', outcome: 'paid' }],
  [
    'declined (insufficient_funds)',
    { code: 'attempt_ended', outcome: 'declined', stripeCode: 'insufficient_funds' },
  ],
  [
    'not_payable (No such invoice: (x))',
    { code: 'attempt_ended', outcome: 'not_payable', detail: 'No such invoice: (x)' },
  ],
  ['requires_action', { code: 'attempt_ended', outcome: 'requires_action' }],
  [
    'Stripe did not try (lock_timeout); the invoice is read again and decides',
    { code: 'attempt_refused', stripeCode: 'lock_timeout' },
  ],
  ['Stripe did not try; the invoice is read again and decides', { code: 'attempt_refused' }],
  [
    'the outcome is unknown (Stripe answered 500: oh; no); the same attempt is repeated',
    { code: 'attempt_unknown', status: 500, error: 'oh; no' },
  ],
  ['whether Stripe made a charge cannot be told yet', { code: 'charge_not_known_yet' }],
  ['an earlier attempt on the invoice is not settled yet', { code: 'earlier_attempt_unsettled' }],
  ['Stripe shows no charge for the attempt; it is made anew', { code: 'no_charge_made' }],
  ['observed only: the invoice would have been paid now', { code: 'payment_observed' }],
  [
    'observed only: the card_update mail would have been sent now',
    { code: 'mail_observed', template: 'card_update' },
  ],
  ['card_update mail sent', { code: 'mail_sent', template: 'card_update' }],
  ['the mail was sent before', { code: 'mail_sent_before' }],
  [
    'no mail: a confirm_payment mail went out less than 3 days ago',
    { code: 'recent_mail', template: 'confirm_payment', days: 3 },
  ],
  [
    'no mail: the last attempt failed with rule, which a mail to the customer cannot mend',
    { code: 'merchant_matter', because: 'rule' },
  ],
  ["outside the customer's sending window", { code: 'outside_window' }],
  ['undeliverable: customer cus_1 has no e-mail address', { code: 'no_address', customerId: 'cus_1' }],
  ['undeliverable: there is nobody to send it to', { code: 'no_recipient' }],
  ['undeliverable: no mail server is configured (SMTP_URL)', { code: 'no_mail_server' }],
  ['undeliverable: there is no page to send the customer to', { code: 'no_page' }],
  ['undeliverable: 550 5.1.1 nobody', { code: 'mail_not_taken', answer: '550 5.1.1 nobody' }],
  ['451 later', { code: 'legacy_text', text: '451 later' }],
  ['replaced by instruction req_2', { code: 'replaced', requestId: 'req_2' }],
  ['it was planned before a person released the invoice', { code: 'planned_before_release' }],
  ['the customer has a new card', { code: 'new_card' }],
  ['the invoice was paid', { code: 'invoice_ended', status: 'paid' }],
  ['the invoice was voided', { code: 'invoice_ended', status: 'void' }],
  ['the invoice was marked uncollectible', { code: 'invoice_ended', status: 'uncollectible' }],
  ['the invoice was deleted', { code: 'invoice_ended', status: 'deleted' }],
  ['subscription sub_1 was canceled', { code: 'subscription_canceled', subscriptionId: 'sub_1' }],
  ['its subscription was canceled', { code: 'subscription_canceled' }],
  ['stopped: dispute dp_1 was opened', { code: 'dispute_opened', disputeId: 'dp_1' }],
  ['status: the invoice is void', { code: 'invoice_status', status: 'void' }],
  [
    'status: it was marked uncollectible (Stripe gives no reason)',
    { code: 'written_off', stripeReason: 'Stripe gives no reason' },
  ],
  ['a person stopped it: customer: called', { code: 'stopped_by_person', note: 'customer: called' }],
  ['a person stopped it: ', { code: 'stopped_by_person', note: '' }],
  ['the service stopped it (request req_1)', { code: 'stopped_by_service', requestId: 'req_1' }],
  ['stopped: the service stopped collecting this invoice', { code: 'stopped_by_service' }],
  ['disputed: the customer disputes a payment of this invoice', { code: 'disputed' }],
  ['amount_remaining: nothing remains to be paid', { code: 'nothing_remaining' }],
  ['collection_method: the customer pays this invoice by sending money', { code: 'sent_to_customer' }],
  [
    'customer: Stripe shows no customer for account acct_2: it was closed, or may not be read',
    { code: 'customer_hidden', account: 'acct_2' },
  ],
  ['customer cus_1 was deleted', { code: 'customer_deleted', customerId: 'cus_1' }],
  ['customer: the customer was deleted', { code: 'customer_deleted' }],
  [
    'subscription: subscription sub_1 is canceled',
    { code: 'subscription_status', subscriptionId: 'sub_1', status: 'canceled' },
  ],
  [
    'sign_up: it is the first invoice of subscription sub_1, which is incomplete: the customer pays it in the checkout (RECOVER_SIGN_UPS is off)',
    { code: 'sign_up', subscriptionId: 'sub_1', status: 'incomplete' },
  ],
  [
    `pause_collection: collection of subscription sub_1 is paused until ${ISO}; what is asked after that is followed`,
    { code: 'collection_paused', subscriptionId: 'sub_1', until: ISO },
  ],
  [
    'pause_collection: collection of subscription sub_1 is paused; what is asked after that is followed',
    { code: 'collection_paused', subscriptionId: 'sub_1' },
  ],
  ['Stripe has no invoice in_1', { code: 'invoice_unknown', invoiceId: 'in_1' }],
  ['processing: a payment is still processing', { code: 'processing' }],
  ['payment_method: the customer has no payment method on file', { code: 'no_payment_method' }],
  [
    'payment_method: pm_1 is not, or no longer, the method chosen to pay with',
    { code: 'method_not_chosen', paymentMethod: 'pm_1' },
  ],
  [`stripe_retry_near: Stripe tries by itself at ${ISO}`, { code: 'stripe_tries', at: ISO }],
  [
    'hard_decline: this card was declined with Visa code R0, which another attempt cannot mend (2026-11-17)',
    { code: 'hard_decline', because: 'Visa code R0', declinedOn: '2026-11-17' },
  ],
  [
    'hard_decline: Mastercard advice 26 asks to wait',
    { code: 'decline_asks_to_wait', because: 'Mastercard advice 26' },
  ],
  [
    'few_attempts: 6 attempts with this card failed, the last with no code given: enough',
    { code: 'few_attempts', count: 6, because: 'no code given' },
  ],
  ['network_limits: 72 hours between attempts', { code: 'hours_between_attempts', hours: 72 }],
  [
    'network_limits: limit reached: 8 attempts on one invoice with one card',
    { code: 'attempts_on_invoice', max: 8 },
  ],
  [
    'network_limits: Visa: 15 in 30 days (rule: 20)',
    { code: 'attempts_with_card', network: 'visa', max: 15, hours: 720, rule: 20 },
  ],
  [
    'network_limits: Mastercard: 8 in 24 hours (rule: 10)',
    { code: 'attempts_with_card', network: 'mastercard', max: 8, hours: 24, rule: 10 },
  ],
  [
    'network_limits: Mastercard: 30 of one amount in 30 days (rule: 35)',
    {
      code: 'attempts_with_card',
      network: 'mastercard',
      max: 30,
      hours: 720,
      rule: 35,
      isOneAmount: true,
    },
  ],
  ['network_limits: 8 in 30 days', { code: 'attempts_with_card', max: 8, hours: 720 }],
  [
    'network_limits: limit reached: SEPA: 3 presentments of one invoice',
    { code: 'debit_presentments', scheme: 'SEPA', max: 3 },
  ],
  [
    'network_limits: limit reached: ACH: within 180 days of the first',
    { code: 'debit_window_over', scheme: 'ACH', days: 180 },
  ],
  [
    'network_limits: limit reached: ACH: the amount of the first time only, and that was 100, not 200',
    { code: 'debit_other_amount', scheme: 'ACH', first: 100, amount: 200 },
  ],
  ['Stripe refused the key: Invalid API Key', { code: 'access_refused', message: 'Invalid API Key' }],
  ['failed: the disk\nis full', { code: 'failed', error: 'the disk\nis full' }],
  ['gave up after repeated failures: no database', { code: 'gave_up', error: 'no database' }],
  ['another action for the same customer is running', { code: 'customer_busy' }],
  ['it was stopped, or its run took too long; nothing was sent', { code: 'claim_lost' }],
  [
    'another attempt with the same card began meanwhile; the limits are looked at again',
    { code: 'card_in_use' },
  ],
  ['it was stopped while it ran', { code: 'stopped' }],
  [
    'account acct_2 is not configured; add it, or "*", to CONNECTED_ACCOUNTS',
    { code: 'account_not_configured', account: 'acct_2' },
  ],
  ['access was revoked', { code: 'access_revoked', account: 'acct_1' }],
  [
    'pm_1 was chosen, but its last attempt was declined with lost_card',
    { code: 'chosen_card_declined', paymentMethod: 'pm_1', because: 'lost_card' },
  ],
  [
    'pm_1 was chosen, but the holder of this card told the bank of fraud (dp_1)',
    { code: 'fraud_reported', paymentMethod: 'pm_1', warningId: 'dp_1' },
  ],
  [
    'fraud_reported: the holder of this card told the bank of fraud (issfr_1)',
    { code: 'fraud_reported', warningId: 'issfr_1' },
  ],
  [
    'equal_amount: the card was asked for the same amount for in_2; too close, it is taken for a duplicate',
    { code: 'equal_amount', invoiceId: 'in_2' },
  ],
  [
    'RETRY_MODE is advisory, and AFTER_GIVING_UP is cancel',
    { code: 'no_ending_chosen', mode: 'advisory', choice: 'cancel' },
  ],
  ['AFTER_GIVING_UP is pause', { code: 'ended_as_chosen', choice: 'pause' }],
  ['it was given up (AFTER_GIVING_UP)', { code: 'given_up' }],
  ['it is not given up any more', { code: 'no_longer_given_up' }],
  ['there is a newer word on the invoice', { code: 'newer_word' }],
  ['Stripe collects it by itself, and its own setting decides', { code: 'stripe_collects' }],
  ['a payment of it is under way', { code: 'payment_under_way' }],
  ['the invoice has no subscription', { code: 'no_subscription' }],
  [
    'subscription: collection of subscription sub_1 is paused already',
    { code: 'paused_already', subscriptionId: 'sub_1' },
  ],
  ['RETRY_MODE is exclusive', { code: 'exclusive_mode' }],
  ['nothing was asked for it in 7 days', { code: 'nothing_asked', days: 7 }],
  ['an operator asked for it', { code: 'operator_asked' }],
  [
    "the customer's new card is pm_1, but Stripe goes on with pm_2 for this subscription",
    { code: 'card_overridden', paymentMethod: 'pm_1', usedByStripe: 'pm_2' },
  ],
  ['stopped: in words of nobody', { code: 'legacy_text', text: 'stopped: in words of nobody' }],
];

async function insertAction(database: Database, at: string, reason: string | null): Promise<string> {
  const id = randomUUID();
  await database.query(
    `insert into payment_retry.actions (id, account, origin, kind, invoice_id, due_at, state, reason, created_at, closed_at)
     values ($1, 'acct_1', $1::uuid::text, 'pay', 'in_1', now(), 'closed', $2, now(), $3)`,
    [id, reason, at],
  );
  return id;
}

async function insertAudit(database: Database, kind: string, detail: object, at = ISO): Promise<void> {
  await database.query(
    `insert into payment_retry.audit (account, at, invoice_id, kind, detail) values ('acct_1', $1, 'in_1', $2, $3::jsonb)`,
    [at, kind, JSON.stringify(detail)],
  );
}

describe.each(ENGINES)('sentences about actions become codes on $engine', (engine) => {
  let database: Database;
  let close: () => Promise<void>;
  let told: string;
  const planned: string[] = [];
  beforeAll(async () => {
    ({ database, close } = await openBefore(engine, '0014'));
    for (const sentence of [null, ...SENTENCES.map(([sentence]) => sentence)])
      planned.push(await insertAction(database, '2026-11-01T10:00:00Z', sentence));
    for (const [sentence] of SENTENCES) await insertAudit(database, 'guard.postponed', { reason: sentence });
    told = await insertAction(database, '2026-12-01T10:00:01Z', 'status: the invoice is void');
    const guard = { guard: 'status', reason: 'the invoice is void' };
    await insertAudit(database, 'guard.stopped', guard, '2026-12-01T10:00:00Z');
    await insertAudit(database, 'attempt.unknown', { detail: 'no answer', repeatedAt: ISO });
    await insertAudit(database, 'operator.stopped', { reason: 'the invoice was paid' });
    await insertAudit(database, 'email.undeliverable', { guard: 'mail_server', reason: '550 nobody' });
    await insertAudit(database, 'email.sent', { template: 'card_update' });
    await migratePlugin(database);
  });
  afterAll(() => close());

  test('the migration turns sentences about actions into codes in the actions', async () => {
    const rows = await database.query<{ reason: unknown }>(
      `select reason from payment_retry.actions where id = any($1::uuid[]) order by array_position($1::uuid[], id)`,
      [planned],
    );
    expect(rows.map(({ reason }) => reason)).toEqual([null, ...SENTENCES.map(([, reason]) => reason)]);
    for (const [, reason] of SENTENCES) expect(readReason(reason)).toEqual(reason);
  });

  test('the migration turns sentences about actions into codes in the audit, where the end of an action names it', async () => {
    const rows = await database.query<{ kind: string; detail: { reason: unknown } }>(
      'select kind, detail from payment_retry.audit order by id',
    );
    const postponed = rows.filter(({ kind }) => kind === 'guard.postponed');
    expect(postponed.map(({ detail }) => detail.reason)).toEqual(SENTENCES.map(([, reason]) => reason));
    expect(rows.slice(SENTENCES.length)).toEqual([
      {
        kind: 'guard.stopped',
        detail: { actionId: told, guard: 'status', reason: { code: 'invoice_status', status: 'void' } },
      },
      {
        kind: 'attempt.unknown',
        detail: { reason: { code: 'attempt_unknown', error: 'no answer' }, repeatedAt: ISO },
      },
      { kind: 'operator.stopped', detail: { note: 'the invoice was paid' } },
      {
        kind: 'email.undeliverable',
        detail: { guard: 'mail_server', reason: { code: 'mail_not_taken', answer: '550 nobody' } },
      },
      { kind: 'email.sent', detail: { template: 'card_update' } },
    ]);
  });
});
