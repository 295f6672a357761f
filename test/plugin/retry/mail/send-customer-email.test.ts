import type { Reason } from '../../../../src/plugin/reasons/reason.ts';
import { closeScheduledActions } from '../../../../src/plugin/store/tables/retry/planned-actions.ts';
import { ACCOUNT, type Bench, INVOICE, openBench, START } from '../payment/collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

const PAID = { code: 'invoice_ended', status: 'paid' } as const;
const stopAll = (reason: Reason) =>
  closeScheduledActions(
    bench.database,
    { account: ACCOUNT, invoiceIds: [INVOICE] },
    reason,
    bench.deps.clock.now(),
  );

describe('email', () => {
  const card = { kind: 'card_update_email' as const };

  it('a customer email goes out once though its action runs twice', async () => {
    const id = await bench.add(card);
    await bench.run(id);
    await bench.run(id);
    expect(bench.emails.map(({ to }) => to)).toEqual(['ada@example.com']);
  });

  it('a customer email does not go out when its action is stopped while it is prepared', async () => {
    bench.stripe.onRead = async () => void (await stopAll(PAID));
    const id = await bench.add(card);
    await bench.run(id);
    await bench.wait({ hours: 1 });
    await bench.runDue();
    expect(bench.emails).toEqual([]);
    expect(await bench.action(id)).toMatchObject({ state: 'closed', reason: PAID });
  });

  it('a customer email does not go out twice when a second process takes over a slow run', async () => {
    const id = await bench.add(card);
    let isFirst = true;
    bench.stripe.onRead = async () => {
      if (!isFirst) return;
      isFirst = false;
      await bench.wait({ minutes: 5 });
      await bench.run(id);
    };
    await bench.run(id);
    expect(bench.emails).toHaveLength(1);
  });

  it('a customer email does not go out again where the process died between its sending and the end of its action', async () => {
    const id = await bench.add(card);
    await bench.run(id);
    await bench.database.query(
      `update payment_retry.actions set state = 'running', claimed_until = $1, closed_at = null, reason = null`,
      [START.plus({ minutes: 5 }).toISO()],
    );
    await bench.wait({ minutes: 5 });
    await bench.runDue();
    expect(bench.emails).toHaveLength(1);
    expect(await bench.action(id)).toMatchObject({ state: 'done', reason: { code: 'email_sent_before' } });
  });

  it('a customer email does not go out for an invoice that is paid', async () => {
    bench.stripe.invoice = { ...bench.stripe.invoice, status: 'paid', amount_remaining: 0 };
    const id = await bench.add(card);
    await bench.run(id);
    expect(bench.emails).toEqual([]);
    expect(await bench.action(id)).toMatchObject({ reason: { code: 'invoice_status', status: 'paid' } });
  });
});
