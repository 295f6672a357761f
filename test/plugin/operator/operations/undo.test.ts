import { closeScheduledActions } from '../../../../src/plugin/store/tables/retry/planned-actions.ts';
/** What a person did comes back whole while nothing else has happened, and not at all after that. */

import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { type OperationName, operationOf } from '../../../../src/plugin/operator/operations/operations.ts';
import { recordForgotten } from '../../../../src/plugin/store/tables/forgotten.ts';
import { insertAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import { recordGivenUp } from '../../../../src/plugin/store/tables/retry/endings.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { operationsOn } from '../../../support/operate.ts';
import { NOW } from '../console/console-harness.ts';
import { insertFailedInvoice } from '../console/failure-rows.ts';

const INVOICE = 'in_1QabcDEFghi';
const KEY = { account: 'own', invoiceId: INVOICE };
const clock = createSimulatedClock(NOW);

describe.each(ENGINES)('on $engine', (engine) => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await openTestDatabase(engine);
  });
  afterAll(() => own?.close());
  beforeEach(async () => {
    await own.clear();
    await clock.set(NOW);
    await insertFailedInvoice(own.database, { id: INVOICE, at: NOW.minus({ days: 1 }) });
    for (const [day, kind] of [
      [1, 'pay'],
      [2, 'card_update_email'],
    ] as const)
      await insertAction(own.database, {
        ...KEY,
        id: crypto.randomUUID(),
        cause: 'instruction',
        kind,
        reference: kind,
        dueAt: NOW.plus({ days: day }),
        createdAt: NOW.minus({ days: 1 }),
      });
  });

  const ask = async (name: OperationName, given: object = {}, person = 'ada') => {
    const deps = operationsOn({ database: own.database, clock });
    const asking = { who: { name: person, via: 'console' as const }, reason: 'asked' };
    return operationOf(name).carryOut(deps, asking, given);
  };
  const did = async (name: OperationName, given: object = { invoice: INVOICE }) => {
    const done = await ask(name, given);
    if (!('undo' in done)) throw new Error(`${name} came to ${done.code}`);
    return { line: done.undo };
  };
  /** All that collecting the invoice goes by. */
  const standing = () =>
    own.database.query(
      `select (select jsonb_agg(to_jsonb(a) - 'created_at' order by kind) from payment_retry.actions a) as actions,
         (select jsonb_agg(to_jsonb(h)) from payment_retry.holds h) as holds,
         (select jsonb_agg(to_jsonb(p)) from payment_retry.postponements p) as postponements,
         (select jsonb_agg(to_jsonb(e)) from payment_retry.endings e) as endings,
         (select jsonb_agg(to_jsonb(p) - 'paused_at' - 'paused_by') from payment_retry.pauses p) as pauses`,
    );

  test.each([
    ['stop', { invoice: INVOICE }, 2],
    ['postpone', { invoice: INVOICE, until: '2026-03-09' }, 2],
    ['release', { invoice: INVOICE }, 2],
    ['pause', {}, 0],
  ] as const)('%s comes back whole, with its line in the audit, and once', async (name, given, reopened) => {
    if (name === 'release') await recordGivenUp(own.database, KEY, { code: 'new_card' }, NOW);
    const before = await standing();
    const undo = await did(name, given);
    expect(await standing()).not.toEqual(before);
    expect(await ask('undo', undo)).toMatchObject({ code: 'undone', operation: name, reopened });
    expect(await standing()).toEqual(before);
    expect(await ask('undo', undo)).toEqual({ outcome: 'unchanged', code: 'undone_already', ...undo });
    const lines = await own.database.query(
      `select kind, detail from payment_retry.audit where kind = 'operator.undone'`,
    );
    expect(lines).toEqual([
      {
        kind: 'operator.undone',
        detail: { ...undo, operation: name, by: 'ada', via: 'console', note: 'asked' },
      },
    ]);
  });

  test('a release of a stopped and postponed invoice holds it again, for the reason that it had', async () => {
    await did('postpone', { invoice: INVOICE, until: '2026-03-09' });
    await did('stop');
    const before = await standing();
    const undo = await did('release');
    expect(await ask('undo', undo)).toMatchObject({ code: 'undone', reopened: 0 });
    expect(await standing()).toEqual(before);
  });

  test('a resume that is undone pauses again, for what it was paused before', async () => {
    await did('pause', {});
    const before = await standing();
    expect(await ask('undo', await did('resume', {}))).toMatchObject({ code: 'undone' });
    expect(await standing()).toEqual(before);
  });

  test('what was due meanwhile is due at once', async () => {
    const undo = await did('stop');
    await clock.set(NOW.plus({ days: 1, hours: 5 }));
    expect(await ask('undo', undo)).toMatchObject({ nextAt: clock.now().toISO() });
    const rows = await own.database.query(`select due_at from payment_retry.actions order by due_at`);
    expect(rows).toEqual([{ dueAt: clock.now() }, { dueAt: NOW.plus({ days: 2 }) }]);
  });

  test('after another person changed something it is refused, and nothing changes', async () => {
    const undo = await did('stop');
    await clock.set(NOW.plus({ minutes: 1 }));
    await ask('release', { invoice: INVOICE }, 'grace');
    const before = await standing();
    const refused = await ask('undo', undo);
    expect(refused).toMatchObject({ outcome: 'refused', code: 'changed_since', by: 'grace' });
    expect(await standing()).toEqual(before);
  });

  test.each([
    ['another pause', 'pause', {}, () => ask('resume', {}, 'grace').then(() => ask('pause', {}, 'grace'))],
    [
      'an event of Stripe',
      'stop',
      { invoice: INVOICE },
      () =>
        own.database.query(`update payment_retry.invoices set version = $1`, [
          NOW.plus({ minutes: 1 }).toISO(),
        ]),
    ],
    [
      'a new instruction',
      'stop',
      { invoice: INVOICE },
      () =>
        insertAction(own.database, {
          ...KEY,
          id: crypto.randomUUID(),
          cause: 'instruction',
          kind: 'pay',
          reference: 'new',
          dueAt: NOW.plus({ days: 3 }),
          createdAt: NOW,
        }),
    ],
    [
      'what closed a moved payment',
      'postpone',
      { invoice: INVOICE, until: '2026-03-09' },
      () =>
        closeScheduledActions(
          own.database,
          { account: 'own', invoiceIds: [INVOICE] },
          { code: 'new_card' },
          NOW,
        ),
    ],
    [
      'the erasure of the customer',
      'stop',
      { invoice: INVOICE },
      () => recordForgotten(own.database, { account: 'own', customerId: `cus_${INVOICE}` }, NOW),
    ],
  ] as const)('after %s it is refused', async (_what, name, given, happen) => {
    const undo = await did(name, given);
    await happen();
    const before = await standing();
    expect(await ask('undo', undo)).toMatchObject({ outcome: 'refused', code: 'changed_since' });
    expect(await standing()).toEqual(before);
  });

  test('of several people who undo it at once one does', async () => {
    const undo = await did('stop');
    const all = await Promise.all([1, 2, 3].map((one) => ask('undo', undo, `person ${one}`)));
    expect(all.map(({ code }) => code).sort()).toEqual(['undone', 'undone_already', 'undone_already']);
  });

  test('what is no such step cannot be undone', async () => {
    expect(await ask('undo', { line: 1 })).toMatchObject({ outcome: 'not_found', code: 'nothing_to_undo' });
    await expect(ask('undo', { line: 'x' })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });
});
