import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import type { ActionKind } from '../../../../../src/plugin/actions/action-kinds.ts';
import type { Reason } from '../../../../../src/plugin/reasons/reason.ts';
import { listAudit } from '../../../../../src/plugin/store/tables/audit.ts';
import {
  type AnyAction,
  claimAction,
  closeAction,
  findAction,
  holdsClaim,
  insertAction,
  isSingleFlightViolation,
  listOverdueActions,
  type NewAction,
  postponeAction,
} from '../../../../../src/plugin/store/tables/retry/actions.ts';
import { closeScheduledActions } from '../../../../../src/plugin/store/tables/retry/planned-actions.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';

const said = (text: string): Reason => ({ code: 'unknown_code', text });
const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const UNTIL = NOW.plus({ minutes: 2 });

function action(changes: Partial<NewAction> = {}): NewAction {
  const id = changes.id ?? randomUUID();
  return {
    id,
    account: 'own',
    cause: 'instruction',
    reference: id,
    kind: 'pay',
    invoiceId: 'in_1',
    customerId: 'cus_1',
    subscriptionId: undefined,
    requestId: undefined,
    paymentMethod: undefined,
    dueAt: NOW,
    createdAt: NOW,
    ...changes,
  };
}

describe.each(ENGINES)('actions on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  async function add(changes: Partial<NewAction> = {}): Promise<string> {
    const row = action(changes);
    await insertAction(test.database, row);
    return row.id;
  }
  const claim = (id: string, now = NOW) =>
    claimAction(test.database, id, { now, until: now.plus({ minutes: 2 }), by: 1 });
  async function claimNow(id: string): Promise<AnyAction> {
    const claimed = await claim(id);
    if (!claimed) throw new Error(`Action ${id} was not to be had.`);
    return claimed;
  }
  const stateOf = async (id: string) => (await findAction(test.database, id))?.state;

  it('plans one email before a renewal for each subscription, which its id stops', async () => {
    const renewal = (subscriptionId: string) =>
      action({
        cause: 'renewal_at_risk',
        reference: '2030-04',
        kind: 'expiring_card_email',
        invoiceId: null,
        subscriptionId,
      });
    const asked = [renewal('sub_1'), renewal('sub_1'), renewal('sub_2')];
    const added: boolean[] = [];
    for (const one of asked) added.push(await insertAction(test.database, one));
    expect(added).toEqual([true, false, true]);
    const stopped = { account: 'own', invoiceIds: ['in_1', 'sub_1'] };
    expect(await closeScheduledActions(test.database, stopped, { code: 'stopped' }, NOW)).toBe(1);
    const found = await Promise.all(asked.map(({ id }) => findAction(test.database, id)));
    expect(found.map((one) => one && [one.invoiceId, one.subscriptionId, one.state])).toEqual([
      [null, 'sub_1', 'closed'],
      undefined,
      [null, 'sub_2', 'scheduled'],
    ]);
  });

  it('the store adds one action for one cause, reference and invoice', async () => {
    const once = { cause: 'instruction', reference: 'req_1' } as const;
    expect(await insertAction(test.database, action(once))).toBe(true);
    expect(await insertAction(test.database, action(once))).toBe(false);
    expect(await insertAction(test.database, action({ ...once, invoiceId: 'in_2' }))).toBe(true);
  });

  it('a claim, and an action due at once, of a clock that was ahead do not wait until it has caught up', async () => {
    const ahead = NOW.plus({ hours: 3 });
    const [claimed, asked, planned] = [
      await add(),
      await add({ customerId: 'cus_2', dueAt: ahead, createdAt: ahead }),
      await add({ customerId: 'cus_3', dueAt: ahead.plus({ days: 1 }), createdAt: ahead }),
    ];
    expect(await claim(claimed, ahead)).toBeDefined();
    expect(await listOverdueActions(test.database, NOW, 10)).toEqual([claimed]);
    expect(await claim(claimed)).toBeDefined();
    expect(await claim(asked)).toBeDefined();
    expect(await claim(planned)).toBeUndefined();
  });

  it('an action is claimed by one of many claimers', async () => {
    const id = await add();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(id)));
    expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(1);
    expect(await findAction(test.database, id)).toMatchObject({
      state: 'running',
      claimedUntil: UNTIL,
    });
  });

  it('an action is not claimed before it is due, nor once it is done', async () => {
    const early = await add({ dueAt: NOW.plus({ seconds: 1 }) });
    expect(await claim(early)).toBeUndefined();
    const done = await add({ customerId: 'cus_2' });
    await claim(done);
    await closeAction(test.database, done, { state: 'done', reason: said('paid') }, NOW);
    expect(await claim(done, NOW.plus({ hours: 1 }))).toBeUndefined();
  });

  it('an action is taken over when the claim of a lost process has run out, not before', async () => {
    const id = await add();
    await claim(id);
    expect(await claim(id, UNTIL.minus({ seconds: 1 }))).toBeUndefined();
    expect((await claim(id, UNTIL))?.claimedUntil).toEqual(UNTIL.plus({ minutes: 2 }));
  });

  it('the store runs one action of a customer at a time', async () => {
    const first = await add();
    const second = await add({ invoiceId: 'in_2' });
    await claim(first);
    const refusal = await claim(second).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(isSingleFlightViolation(refusal)).toBe(true);
    expect(await stateOf(second)).toBe('scheduled');
    await closeAction(test.database, first, { state: 'done', reason: said('paid') }, NOW);
    expect(await claim(second)).toMatchObject({ id: second });
  });

  it('the store lets one of two claims for the same customer through when they come at once', async () => {
    const ids = [await add(), await add({ invoiceId: 'in_2' }), await add({ invoiceId: 'in_3' })];
    const claims = await Promise.allSettled(ids.map((id) => claim(id)));
    expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const result of claims)
      if (result.status === 'rejected') expect(isSingleFlightViolation(result.reason)).toBe(true);
  });

  it('the store runs actions of different customers, accounts and of unknown customers side by side', async () => {
    const ids = [
      await add(),
      await add({ customerId: 'cus_2' }),
      await add({ account: 'acct_2' }),
      await add({ customerId: undefined, invoiceId: 'in_3' }),
      await add({ customerId: undefined, invoiceId: 'in_4' }),
    ];
    const claims = await Promise.all(ids.map((id) => claim(id)));
    expect(claims.map((claimed) => claimed?.id)).toEqual(ids);
  });

  it('an action that was closed while it ran is neither postponed nor closed again', async () => {
    const id = await add();
    const claimed = await claimNow(id);
    await closeAction(test.database, id, { state: 'closed', reason: said('stopped by the operator') }, NOW);
    expect(
      (await postponeAction(test.database, claimed, NOW.plus({ hours: 1 }), said('later')))?.state,
    ).not.toBe('scheduled');
    await closeAction(test.database, id, { state: 'done', reason: said('paid') }, NOW);
    expect(await findAction(test.database, id)).toMatchObject({
      state: 'closed',
      reason: said('stopped by the operator'),
    });
  });

  it('a postponed action is free again at its new time', async () => {
    const claimed = await claimNow(await add());
    expect((await postponeAction(test.database, claimed, NOW.plus({ hours: 1 }), said('later')))?.state).toBe(
      'scheduled',
    );
    expect(await claim(claimed.id)).toBeUndefined();
    expect(await claim(claimed.id, NOW.plus({ hours: 1 }))).toMatchObject({ id: claimed.id });
  });

  it('a run whose action was taken over can neither postpone it nor believe it still holds it', async () => {
    const claimed = await claimNow(await add());
    const holds = () => holdsClaim(test.database, claimed, NOW.plus({ seconds: 30 }));
    expect(await holds()).toBe(true);
    expect(await holdsClaim(test.database, claimed, UNTIL)).toBe(false);
    await claim(claimed.id, UNTIL);
    expect(await holds()).toBe(false);
    expect(
      (await postponeAction(test.database, claimed, NOW.plus({ hours: 1 }), said('later')))?.state,
    ).not.toBe('scheduled');
    expect(await stateOf(claimed.id)).toBe('running');
  });

  it('closing planned actions closes what waits with an audit entry each, and marks what runs', async () => {
    const pay = await add();
    const email = await add({ kind: 'card_update_email', invoiceId: 'in_2' });
    const running = await claimNow(await add({ customerId: 'cus_2' }));
    const other = await add({ invoiceId: 'in_other' });
    const target = { account: 'own', invoiceIds: ['in_1', 'in_2'] };
    const reason = said('the invoice is paid');
    expect(await closeScheduledActions(test.database, target, reason, NOW)).toBe(2);
    expect(await Promise.all([pay, email, running.id, other].map(stateOf))).toEqual([
      'closed',
      'closed',
      'running',
      'scheduled',
    ]);
    const audit = await listAudit(test.database, {});
    expect(audit.map(({ invoiceId, kind, detail }) => ({ invoiceId, kind, ...detail }))).toEqual(
      expect.arrayContaining([
        { invoiceId: 'in_1', kind: 'action.closed', action: 'pay', reason },
        { invoiceId: 'in_2', kind: 'action.closed', action: 'card_update_email', reason },
      ]),
    );
    expect(audit).toHaveLength(2);
    expect(await closeScheduledActions(test.database, target, said('again'), NOW)).toBe(0);
    expect(await listAudit(test.database, {})).toHaveLength(2);
    expect(await holdsClaim(test.database, running, NOW)).toBe(false);
    expect(
      (await postponeAction(test.database, running, NOW.plus({ hours: 1 }), said('later')))?.state,
    ).not.toBe('scheduled');
    expect(await stateOf(running.id)).toBe('closed');
  });

  it('an action with an attempt in doubt stays open until the attempt is settled, whoever closes it', async () => {
    const running = await claimNow(await add());
    const attemptId = randomUUID();
    await test.database.query(
      `insert into payment_retry.attempts (id, account, invoice_id, action_id, source, started_at)
       values ($1, 'own', 'in_1', $2, 'ours', $3)`,
      [attemptId, running.id, NOW.toISO()],
    );
    await closeAction(test.database, running.id, { state: 'closed', reason: said('gave up') }, NOW);
    expect(await stateOf(running.id)).toBe('running');
    await closeScheduledActions(
      test.database,
      { account: 'own', invoiceIds: ['in_1'] },
      said('stopped'),
      NOW,
    );
    expect((await postponeAction(test.database, running, NOW, said('in doubt')))?.state).toBe('scheduled');
    expect(await findAction(test.database, running.id)).toMatchObject({
      state: 'scheduled',
      reason: said('stopped'),
    });
    await test.database.query(`update payment_retry.attempts set outcome = 'paid' where id = $1`, [
      attemptId,
    ]);
    await closeAction(test.database, running.id, { state: 'done', reason: said('paid') }, NOW);
    expect(await stateOf(running.id)).toBe('done');
  });

  it('closing planned actions closes only the kinds that are named', async () => {
    const pay = await add();
    const email = await add({ kind: 'card_update_email' });
    const kinds: ActionKind[] = ['card_update_email', 'confirm_payment_email'];
    await closeScheduledActions(
      test.database,
      { account: 'own', invoiceIds: ['in_1'], kinds },
      said('new card'),
      NOW,
    );
    expect([await stateOf(pay), await stateOf(email)]).toEqual(['scheduled', 'closed']);
  });

  it('the store lists actions that are overdue or in the hands of a lost process', async () => {
    const waiting = await add({ dueAt: NOW.minus({ minutes: 5 }) });
    const lost = await add({ dueAt: NOW.minus({ minutes: 9 }), customerId: 'cus_2' });
    await claim(lost, NOW.minus({ minutes: 4 }));
    const held = await add({ customerId: 'cus_3', dueAt: NOW.minus({ minutes: 5 }) });
    await claim(held);
    await add({ dueAt: NOW.plus({ minutes: 5 }) });
    expect(await listOverdueActions(test.database, NOW, 10)).toEqual([lost, waiting]);
  });
});
