import { migratePlugin } from '../../../src/store/engine/migrate.ts';
import { readReason } from '../../../src/store/reasons/reason.ts';
import { openBefore } from '../../support/database-before.ts';
import { ENGINES } from '../../support/databases.ts';

/** As they were written before there were codes: state, sentence, and what it is now. */
const INSTRUCTIONS = [
  ['received', null, null],
  [
    'scheduled',
    'pay at 2026-03-04T14:00:00.000Z',
    { code: 'planned', action: 'pay', dueAt: '2026-03-04T14:00:00.000Z' },
  ],
  ['no_action', 'the type of message is not understood', { code: 'message_not_understood' }],
  ['no_action', 'the service made no suggestion', { code: 'no_suggestion' }],
  ['no_action', 'a newer instruction for the same invoice replaced it', { code: 'newer_instruction' }],
  [
    'no_action',
    'the suggestion a b is not understood',
    { code: 'suggestion_not_understood', suggestion: 'a b' },
  ],
  ['no_action', 'stopped 12 scheduled action(s)', { code: 'actions_stopped', count: 12 }],
  [
    'no_action',
    'invoice in_1 is paid already',
    { code: 'invoice_settled', invoiceId: 'in_1', status: 'paid' },
  ],
  [
    'no_action',
    'a person stopped it: "why": \\ because',
    { code: 'stopped_by_person', note: '"why": \\ because' },
  ],
  ['refused', 'Stripe has no invoice in_1', { code: 'invoice_unknown', invoiceId: 'in_1' }],
  [
    'refused',
    'its time 2027-03-04T14:00:00.000Z is more than 60 days away (RETRY_HORIZON_DAYS)',
    { code: 'beyond_horizon', idealRetryAt: '2027-03-04T14:00:00.000Z', days: 60 },
  ],
  [
    'refused',
    'account acct_1 is not configured; add it, or "*", to CONNECTED_ACCOUNTS',
    { code: 'account_not_configured', account: 'acct_1' },
  ],
  [
    'refused',
    'access to account acct_1 was revoked; it goes on when the account is connected again',
    { code: 'access_revoked', account: 'acct_1' },
  ],
  ['failed', 'pay at 2026-03-04T14:00:00.000Z', { code: 'failed', error: 'pay at 2026-03-04T14:00:00.000Z' }],
  [
    'no_action',
    'a sentence of an old version',
    { code: 'legacy_text', text: 'a sentence of an old version' },
  ],
  ['no_action', '', { code: 'legacy_text', text: '' }],
] as const;

test.each(ENGINES)('sentences about instructions become codes on $engine', async (engine) => {
  const { database, close } = await openBefore(engine, '0011');
  for (const [index, [state, sentence]] of INSTRUCTIONS.entries()) {
    await database.query(
      `insert into payment_retry.instructions (account, request_id, source, received_at, issued_at, type, body, state, reason)
       values ('own', $1, 'callback', now(), now(), 'suggestion', '{}', $2, $3)`,
      [`req_${index}`, state, sentence],
    );
    if (sentence === null) continue;
    const detail = JSON.stringify({ requestId: `req_${index}`, reason: sentence });
    await database.query(
      `insert into payment_retry.audit (account, at, kind, detail) values ('own', now(), $1, $2::jsonb)`,
      [`instruction.${state}`, detail],
    );
  }
  await migratePlugin(database);
  const instructions = await database.query<{ reason: unknown }>(
    'select reason from payment_retry.instructions order by position',
  );
  expect(instructions.map(({ reason }) => reason)).toEqual(INSTRUCTIONS.map(([, , reason]) => reason));
  const audit = await database.query<{ detail: { reason: unknown } }>(
    'select detail from payment_retry.audit order by id',
  );
  const told = INSTRUCTIONS.flatMap(([, sentence, reason]) => (sentence === null ? [] : [reason]));
  expect(audit.map(({ detail }) => detail.reason)).toEqual(told);
  expect(told.map(readReason)).toEqual(told);
  await close();
});
