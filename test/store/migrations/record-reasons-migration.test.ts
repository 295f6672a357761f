import { migratePlugin } from '../../../src/store/engine/migrate.ts';
import { type Reason, readReason } from '../../../src/store/reasons/reason.ts';
import { openBefore } from '../../support/database-before.ts';
import { ENGINES } from '../../support/databases.ts';

/** As they were written before there were codes. */
const UNMAPPED: readonly [string, Reason][] = [
  [
    'unknown invoice status melted away',
    { code: 'unknown_status', object: 'invoice', status: 'melted away' },
  ],
  ['items has more pages than the object shows', { code: 'items_missing' }],
  ['the subscription has no items', { code: 'no_items' }],
  ['no item has a recurring price', { code: 'no_recurring_price' }],
  ['the amount is too large for an exact integer', { code: 'amount_too_large' }],
  [
    'price price_1 is in EUR, its amount in USD needs currency_options',
    { code: 'price_not_in_currency', priceId: 'price_1', priceCurrency: 'EUR', currency: 'USD' },
  ],
  ['price price_1 is tiered, its tiers are missing', { code: 'price_tiers_missing', priceId: 'price_1' }],
  [
    'price price_1 has the unknown rounding sideways',
    { code: 'price_unknown', priceId: 'price_1', part: 'rounding', value: 'sideways' },
  ],
  [
    'price price_1 has the unknown billing scheme auction',
    { code: 'price_unknown', priceId: 'price_1', part: 'billing_scheme', value: 'auction' },
  ],
  [
    'price price_1 has the unknown tiers mode of the day',
    { code: 'price_unknown', priceId: 'price_1', part: 'tiers_mode', value: 'of the day' },
  ],
  [
    'price price_1 has an unreadable option: tiers: Invalid input: expected array',
    {
      code: 'price_option_unreadable',
      priceId: 'price_1',
      problem: 'tiers: Invalid input: expected array',
    },
  ],
  ['price price_1 has no unit amount', { code: 'price_without_amount', priceId: 'price_1' }],
  ['price price_1 has no tier for 12 units', { code: 'price_without_tier', priceId: 'price_1', units: '12' }],
  [
    'currency: Invalid input: expected string, received number',
    { code: 'unreadable_object', problem: 'currency: Invalid input: expected string, received number' },
  ],
];
const INTERRUPTIONS: readonly [string, Reason][] = [
  [
    'Stripe refuses the key (403): No: not this. Allow it to read subscriptions, invoices and charges.',
    { code: 'stripe_refuses_key', status: 403, message: 'No: not this.' },
  ],
  ['Stripe answered 429: Too fast.', { code: 'stripe_answered', status: 429, message: 'Too fast.' }],
  ['Stripe gave no answer: socket hang up', { code: 'stripe_gave_no_answer', message: 'socket hang up' }],
  ['out of memory', { code: 'failed', error: 'out of memory' }],
];
const UNKNOWN: readonly [string, Reason][] = [
  ['the answer is not an invoice', { code: 'attempt_unknown' }],
  ['Stripe answered 500: oh: no', { code: 'attempt_unknown', status: 500, error: 'oh: no' }],
  ['Stripe answered nothing: socket hang up', { code: 'attempt_unknown', error: 'socket hang up' }],
];
/** What an attempt came to, and its code and message before and after. */
const ATTEMPTS: readonly [string, string | null, string, string | null, string | null][] = [
  ['not_executed', null, 'Stripe shows no charge for the attempt', 'no_charge_found', null],
  ['not_executed', null, 'Stripe has no invoice in_1', 'invoice_unknown', null],
  ['not_payable', 'missing_payment_method', 'there is nothing to charge', 'missing_payment_method', null],
  ['declined', 'card_declined', 'declined', 'card_declined', null],
  ['declined', 'card_declined', 'Your card was declined.', 'card_declined', 'Your card was declined.'],
];

const idOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

test.each(ENGINES)('sentences about records, runs and attempts become codes on $engine', async (engine) => {
  const { database, close } = await openBefore(engine, '0022');
  for (const [index, [sentence]] of UNMAPPED.entries()) {
    const key = [String(index).padStart(3, '0'), sentence];
    await database.query(
      `insert into payment_retry.subscriptions (account, id, customer_id, status, version, version_source, unmapped_reason)
       values ('own', $1, 'cus_1', 'active', now(), 'event', $2)`,
      key,
    );
    await database.query(
      `insert into payment_retry.invoices (account, id, customer_id, status, amount_remaining, currency,
         attempt_count, version, version_source, unmapped_reason)
       values ('own', $1, 'cus_1', 'open', 1, 'usd', 0, now(), 'event', $2)`,
      key,
    );
  }
  for (const [sentence] of INTERRUPTIONS)
    await database.query(
      `insert into payment_retry.backfill_runs (account, kind, months, per_second, started_at, finished_at, reason)
       values ('own', 'backfill', 1, 1, now(), now(), $1)`,
      [sentence],
    );
  for (const [index, [detail]] of UNKNOWN.entries()) {
    const reason = JSON.stringify({ code: 'attempt_unknown', detail });
    await database.query(
      `insert into payment_retry.actions (id, account, origin, kind, invoice_id, due_at, created_at, state, reason)
       values ($1, 'own', $3, 'pay', 'in_1', now(), now(), 'closed', $2::jsonb)`,
      [idOf(index), reason, `instruction:req_${index}`],
    );
    await database.query(
      `insert into payment_retry.audit (account, at, invoice_id, kind, detail)
       values ('own', now(), 'in_1', 'attempt.unknown', jsonb_build_object('reason', $1::jsonb, 'repeatedAt', 'later'))`,
      [reason],
    );
  }
  for (const [index, [outcome, code, detail]] of ATTEMPTS.entries()) {
    await database.query(
      `insert into payment_retry.attempts (id, account, invoice_id, source, started_at, outcome, code, detail)
       values ($1, 'own', 'in_1', 'ours', now(), $2, $3, $4)`,
      [idOf(index), outcome, code, detail],
    );
    await database.query(
      `insert into payment_retry.audit (account, at, invoice_id, kind, detail) values ('own', now(), 'in_1', $1, $2::jsonb)`,
      [`attempt.${outcome}`, JSON.stringify({ code: code ?? undefined, detail })],
    );
  }

  await migratePlugin(database);

  const reasonsOf = async (table: string, order: string, column = 'reason') =>
    (
      await database.query<{ reason: unknown }>(
        `select ${column} as reason from payment_retry.${table} order by ${order}`,
      )
    ).map(({ reason }) => reason);
  const after = (pairs: readonly [string, Reason][]) => pairs.map(([, reason]) => reason);
  expect(await reasonsOf('subscriptions', 'id', 'unmapped_reason')).toEqual(after(UNMAPPED));
  expect(await reasonsOf('invoices', 'id', 'unmapped_reason')).toEqual(after(UNMAPPED));
  expect(await reasonsOf('backfill_runs', 'id')).toEqual(after(INTERRUPTIONS));
  expect(await reasonsOf('actions', 'id')).toEqual(after(UNKNOWN));
  for (const reason of after([...UNMAPPED, ...INTERRUPTIONS, ...UNKNOWN]))
    expect(readReason(reason)).toEqual(reason);
  expect(
    await database.query(`select outcome, code, detail from payment_retry.attempts order by id`),
  ).toEqual(ATTEMPTS.map(([outcome, , , code, detail]) => ({ outcome, code, detail })));
  const audit = await database.query<{ kind: string; detail: object }>(
    `select kind, detail from payment_retry.audit order by id`,
  );
  expect(audit.filter(({ kind }) => kind === 'attempt.unknown').map(({ detail }) => detail)).toEqual(
    after(UNKNOWN).map((reason) => ({ reason, repeatedAt: 'later' })),
  );
  expect(audit.filter(({ kind }) => kind === 'attempt.not_executed').map(({ detail }) => detail)).toEqual([
    { code: 'no_charge_found' },
    { code: 'invoice_unknown' },
  ]);
  await close();
});
