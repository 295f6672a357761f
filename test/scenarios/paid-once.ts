import type { SharedSite } from './shared-site.ts';

/** Every instruction was carried out, once, under one key, and every attempt is known. */
export async function expectPaidOnce(site: SharedSite, invoiceIds: readonly string[]): Promise<void> {
  const { apiCalls, invoices } = site.sandbox.state;
  for (const id of invoiceIds) {
    expect([id, invoices.get(id)?.status, chargesOf(site, id)]).toEqual([
      id,
      'paid',
      ['failed', 'succeeded'],
    ]);
    const calls = apiCalls.filter(({ path }) => path === `/v1/invoices/${id}/pay`);
    expect([id, new Set(calls.map((call) => call.idempotencyKey)).size]).toEqual([id, 1]);
  }
  const attempts = await site.database.query(
    `select invoice_id as id, count(*) as count from payment_retry.attempts
     where source = 'ours' and outcome = 'paid' group by 1 order by 1`,
  );
  expect(attempts).toEqual([...invoiceIds].sort().map((id) => ({ id, count: 1 })));
}

function chargesOf({ sandbox }: SharedSite, invoiceId: string): string[] {
  const { invoicePayments, charges } = sandbox.state;
  return [...invoicePayments.newestFirst({ index: 'invoice', key: invoiceId })]
    .flatMap(({ payment }) => [
      ...charges.newestFirst({ index: 'paymentIntent', key: payment.payment_intent ?? '' }),
    ])
    .map(({ status }) => String(status))
    .sort();
}
