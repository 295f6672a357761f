import { createServer } from 'node:http';
import Stripe from 'stripe';
import { createStripeCharges } from '../../../../src/plugin/clients/reads/stripe-charges.ts';
import { closeServer, listenOnLoopback } from '../../../support/http/loopback-server.ts';

const of = (value: number) => ({ currency: 'usd', value });
const NOTHING = { amount_canceled: of(0), amount_failed: of(0), amount_guaranteed: of(0) };

function recordOf(id: string, created: number, amounts: object) {
  const details = { type: 'card', payment_method: null, card: { brand: 'visa', fingerprint: 'fp_1' } };
  const common = { ...NOTHING, amount: of(2000), amount_refunded: of(0), payment_method_details: details };
  return { ...common, id, created, customer_details: { customer: 'cus_1' }, ...amounts };
}

const RECORDS = [
  recordOf('par_paid', 40, { amount_guaranteed: of(2000), amount_refunded: of(500) }),
  recordOf('par_off', 30, { amount_canceled: of(2000) }),
  recordOf('par_open', 20, {}),
  recordOf('par_failed', 10, { amount_failed: of(2000), customer_details: null }),
];

/** What is listed of an invoice that a payment record pays. */
async function listFrom(answer: { status: number; body: object }): Promise<Stripe.Charge[]> {
  const server = createServer((req, res) => {
    const payment = { type: 'payment_record', payment_record: 'prec_1' };
    const isRecords = req.url === '/v1/payment_attempt_records?payment_record=prec_1';
    const { status, body } = isRecords ? answer : { status: 200, body: { data: [{ payment }] } };
    res.writeHead(status, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ object: 'list', has_more: false, ...body }));
  });
  const { hostname: host, port } = new URL(await listenOnLoopback(server));
  const stripe = new Stripe('sk_test_fake', { host, port, protocol: 'http', telemetry: false });
  try {
    return await createStripeCharges(stripe, () => ({ maxNetworkRetries: 0 })).listCharges('acct_1', 'in_1');
  } finally {
    await closeServer(server);
  }
}

test('what was reported of payments outside of Stripe is listed as charges are', async () => {
  const charges = await listFrom({ status: 200, body: { data: RECORDS } });
  expect(charges.map(({ id, status, customer }) => [id, status, customer])).toEqual([
    ['par_failed', 'failed', null],
    ['par_open', 'pending', 'cus_1'],
    ['par_paid', 'succeeded', 'cus_1'],
  ]);
  expect(charges.at(-1)).toMatchObject({
    amount: 2000,
    amount_refunded: 500,
    currency: 'usd',
    payment_method_details: { card: { fingerprint: 'fp_1' } },
  });
});

test('a key that may not read them leaves them out, and any other refusal stands', async () => {
  const refuse = (status: number) =>
    listFrom({ status, body: { error: { message: 'No', type: 'api_error' } } });
  expect(await refuse(403)).toEqual([]);
  await expect(refuse(401)).rejects.toMatchObject({ statusCode: 401 });
});
