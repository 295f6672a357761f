import { migratePlugin } from '../../../src/store/engine/migrate.ts';
import type { EventResult } from '../../../src/store/reasons/event-result.ts';
import { openBefore } from '../../support/database-before.ts';
import { ENGINES } from '../../support/databases.ts';

/** As they were written before there were codes. */
const SENTENCES: readonly [string, EventResult][] = [
  ['mirrored', { code: 'mirrored' }],
  ['mirrored after reading it again', { code: 'mirrored', isReread: true }],
  ['mirrored the end of a subscription that Stripe no longer has', { code: 'mirrored_end' }],
  ['stale: a newer state is stored', { code: 'stale' }],
  ['deleted', { code: 'deleted' }],
  ['unmappable even after reading it again', { code: 'unmappable' }],
  ['no new charge', { code: 'no_new_charge' }],
  ['12 charge(s)', { code: 'charges_recorded', count: 12 }],
  ['an attempt of ours: its own record tells of it', { code: 'own_attempt' }],
  ['no charge was made: no code', { code: 'failure_recorded' }],
  [
    'no charge was made: missing_payment_method',
    { code: 'failure_recorded', failure: 'missing_payment_method' },
  ],
  ['no new card', { code: 'no_new_card' }],
  ['new card pm_1', { code: 'new_card', paymentMethod: 'pm_1' }],
  ['no payment waits for the customer', { code: 'customer_not_awaited' }],
  ['pi_1 waits for the customer', { code: 'customer_awaited', paymentIntent: 'pi_1' }],
  ["Stripe's own retries stay on in this mode", { code: 'stripe_retries_kept' }],
  ["Stripe's own retries are off already", { code: 'stripe_retries_off' }],
  ['the customer pays this invoice by sending money', { code: 'sent_to_customer' }],
  ['taken over', { code: 'taken_over' }],
  ['stopped in_1', { code: 'collection_stopped', invoiceId: 'in_1' }],
  ['stopped', { code: 'collection_stopped' }],
  ['no invoice belongs to the disputed charge', { code: 'no_disputed_invoice' }],
  ['no card is to be left alone', { code: 'no_card_warned' }],
  ['dp_1 stands against its card', { code: 'card_warned', warningId: 'dp_1' }],
  ['dp_1 no longer stands against its card', { code: 'card_cleared', warningId: 'dp_1' }],
  ['gone: Stripe no longer has this invoice', { code: 'gone', object: 'invoice' }],
  ['gone: Stripe no longer has this subscription', { code: 'gone', object: 'subscription' }],
  ['gone: Stripe no longer has charge ch_1', { code: 'gone', object: 'charge' }],
  ['ignored: no use for this type', { code: 'ignored_type' }],
  ['ignored: not an invoice', { code: 'ignored_object', expected: 'invoice' }],
  ['ignored: not a customer', { code: 'ignored_object', expected: 'customer' }],
  ['ignored: a live event, and STRIPE_SECRET_KEY is for test mode', { code: 'ignored_mode', isLive: true }],
  ['ignored: our own account is not a connected one', { code: 'own_account' }],
  ['access was given', { code: 'access_given' }],
  ['access was revoked; work for the account stops', { code: 'access_withdrawn' }],
  [
    'ignored: account acct_1 is not configured; add it, or "*", to CONNECTED_ACCOUNTS',
    { code: 'account_not_configured', account: 'acct_1' },
  ],
  [
    'ignored: access to account acct_1 was revoked; it goes on when the account is connected again',
    { code: 'access_revoked', account: 'acct_1' },
  ],
  ['dead', { code: 'dead' }],
  ['in words of nobody', { code: 'legacy_text', text: 'in words of nobody' }],
];

test.each(ENGINES)('sentences about events become codes on $engine', async (engine) => {
  const { database, close } = await openBefore(engine, '0015');
  const results: readonly (string | null)[] = [
    null,
    'mirrored; no charge was made: no code; taken over',
    ...SENTENCES.map(([sentence]) => sentence),
  ];
  for (const [index, result] of results.entries())
    await database.query(
      `insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, result)
       values ('own', $1, 'invoice.paid', now(), now(), '{}', now(), $2)`,
      [`evt_${String(index).padStart(3, '0')}`, result],
    );
  await migratePlugin(database);
  const rows = await database.query<{ results: unknown }>(
    'select results from payment_retry.events order by id',
  );
  expect(rows.map((row) => row.results)).toEqual([
    null,
    [{ code: 'mirrored' }, { code: 'failure_recorded' }, { code: 'taken_over' }],
    ...SENTENCES.map(([, result]) => [result]),
  ]);
  await close();
});
