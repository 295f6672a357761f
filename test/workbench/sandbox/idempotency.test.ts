import { Duration } from 'luxon';
import { accepts } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { errorOf, START, startTestSandbox, subscribe, type TestSandbox } from './start-test-sandbox.ts';

describe('idempotency keys', () => {
  let test: TestSandbox;
  let invoice: string;
  let customer: string;
  beforeEach(async () => {
    test = await startTestSandbox();
    const made = subscribe(test.sandbox);
    customer = made.customer.id;
    invoice = test.sandbox.renewNow(made.subscription.id).id;
  });
  afterEach(() => test.stop());

  const pay = (idempotencyKey: string, params = {}) =>
    test.stripe.invoices.pay(invoice, params, { idempotencyKey });
  const chargeCount = () => test.sandbox.state.charges.size;

  it('an idempotency key replays a stored decline without a new charge', async () => {
    const first = await errorOf(pay('k1'));
    const charges = chargeCount();
    test.sandbox.changeDefaultCard(customer, accepts());
    const second = await errorOf(pay('k1'));
    expect(second.charge).toBe(first.charge);
    expect(second.headers?.['idempotent-replayed']).toBe('true');
    expect(chargeCount()).toBe(charges);
    expect(test.sandbox.state.apiCalls.map(({ status, replayed }) => [status, replayed])).toEqual([
      [402, false],
      [402, true],
    ]);
    expect((await pay('k2')).status).toBe('paid');
  });

  it('an idempotency key answers 400 idempotency_error for other parameters', async () => {
    await errorOf(pay('k1'));
    expect(await errorOf(pay('k1', { off_session: true }))).toMatchObject({
      statusCode: 400,
      type: 'StripeIdempotencyError',
    });
  });

  it('an idempotency key is forgotten after 24 hours', async () => {
    await errorOf(pay('k1'));
    const charges = chargeCount();
    await test.clock.set(START.plus(Duration.fromObject({ hours: 24, seconds: 1 })));
    await errorOf(pay('k1'));
    expect(chargeCount()).toBe(charges + 1);
  });

  it('an idempotency key does not store parameter errors', async () => {
    const refused = await fetch(`${test.sandbox.url}/v1/invoices/${invoice}/pay`, {
      method: 'POST',
      headers: { authorization: `Bearer ${test.sandbox.secretKey}`, 'idempotency-key': 'k1' },
      body: new URLSearchParams({ nonsense: '1' }),
    });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: 'parameter_unknown', param: 'nonsense' } });
    expect(await errorOf(pay('k1'))).toMatchObject({ statusCode: 402 });
  });

  it('an idempotency key answers 409 to a twin while the first call runs', async () => {
    const hold = test.sandbox.faults.hold('POST', `/v1/invoices/${invoice}/pay`);
    const first = errorOf(pay('k1'));
    await hold.arrived;
    expect(await errorOf(pay('k1'))).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    hold.release();
    expect(await first).toMatchObject({ statusCode: 402 });
  });

  it('the sandbox answers lock_timeout to another call on a busy invoice', async () => {
    const hold = test.sandbox.faults.hold('POST', /\/pay$/);
    const first = errorOf(pay('k1'));
    await hold.arrived;
    const busy = await errorOf(pay('k2'));
    expect(busy).toMatchObject({ statusCode: 429, code: 'lock_timeout' });
    expect(busy.headers?.['stripe-should-retry']).toBe('true');
    hold.release();
    await first;
    expect(await errorOf(pay('k2'))).toMatchObject({ statusCode: 402 });
  });
});

describe('faults', () => {
  let test: TestSandbox;
  let invoice: string;
  beforeEach(async () => {
    test = await startTestSandbox();
    const { subscription, customer } = subscribe(test.sandbox);
    invoice = test.sandbox.renewNow(subscription.id).id;
    test.sandbox.changeDefaultCard(customer.id, accepts());
  });
  afterEach(() => test.stop());

  const pay = (idempotencyKey: string) => test.stripe.invoices.pay(invoice, {}, { idempotencyKey });

  it.each([
    ['rate_limit', 429, 'rate_limit'],
    ['lock_timeout', 429, 'lock_timeout'],
    ['conflict', 409, 'idempotency_key_in_use'],
    ['server_error_before', 503, undefined],
  ] as const)('the fault %s answers %i once; the same key then works', async (fault, statusCode, code) => {
    test.sandbox.faults.next('POST', /\/pay$/, fault);
    expect(await errorOf(pay('k1'))).toMatchObject({ statusCode, code });
    expect((await pay('k1')).status).toBe('paid');
  });

  it('the fault server_error is stored and replayed for its key', async () => {
    test.sandbox.faults.next('POST', `/invoices/${invoice}/pay`, 'server_error');
    expect(await errorOf(pay('k1'))).toMatchObject({ statusCode: 500 });
    expect(await errorOf(pay('k1'))).toMatchObject({ statusCode: 500 });
    expect((await pay('k2')).status).toBe('paid');
  });

  it('the fault drop_before breaks the connection and does nothing', async () => {
    // Twice, because the SDK repeats a reset connection once by itself (stripe-facts 3.9).
    test.sandbox.faults.next('POST', /\/pay$/, 'drop_before', 2);
    expect(await errorOf(pay('k1'))).toMatchObject({ type: 'StripeConnectionError' });
    expect(test.sandbox.state.invoices.get(invoice)?.status).toBe('open');
  });

  it('the fault drop_after does the work and breaks the connection; the same key finds the answer', async () => {
    test.sandbox.faults.next('POST', /\/pay$/, 'drop_after', 2);
    expect(await errorOf(pay('k1'))).toMatchObject({ type: 'StripeConnectionError' });
    expect(test.sandbox.state.invoices.get(invoice)?.status).toBe('paid');
    const charges = test.sandbox.state.charges.size;
    const paid = await pay('k1');
    expect(paid.status).toBe('paid');
    expect(paid.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(test.sandbox.state.charges.size).toBe(charges);
  });

  it('a sandbox fault stays away after clear', async () => {
    test.sandbox.faults.next('POST', /.*/, 'rate_limit', 5);
    test.sandbox.faults.clear();
    expect((await pay('k1')).status).toBe('paid');
  });
});
