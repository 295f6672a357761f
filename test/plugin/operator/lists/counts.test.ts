/** Whatever is stored, each number of the status and of *Needs attention* is the length, and the sum, of a list of the API. */
import fc from 'fast-check';
import { z } from 'zod';
import { failingInvoicesPage } from '../../../../src/plugin/operator/lists/failing-invoices.ts';
import { needsAttentionAnswer } from '../../../../src/plugin/operator/lists/needs-attention.ts';
import { LISTINGS, STANDINGS } from '../../../../src/plugin/store/reports/money/needs.ts';
import { recordAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { insertAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import { recordDispute } from '../../../../src/plugin/store/tables/sync/disputes.ts';
import { runs } from '../../../support/runner/full-run.ts';
import { type ConsoleHarness, NOW, startConsole } from '../console/console-harness.ts';
import { type FailedInvoice, insertFailedInvoice, insertSentEmail } from '../console/failure-rows.ts';

const TOKEN = 'a-reader-token-for-tests-too';
const CURRENCIES = ['usd', 'eur', 'jpy'];
/** The newest failure is of the month that the status is about. */
const MOST_HOURS = 24 * 40;

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await startConsole({ settings: { operatorReadToken: TOKEN } });
});
afterAll(() => harness?.stop());

const counted = z.object({ invoices: z.int(), amount: z.int() });
const figures = z.object({
  currency: z.string(),
  ...{ failed: counted, recovered: counted, inRecovery: counted, lost: counted },
  ...{ unpaid: counted, needsAttention: counted },
});
const statusAnswer = z.object({ money: z.object({ month: z.string(), rows: z.array(figures) }) });

async function ask<Answer>(schema: z.ZodType<Answer>, path: string, query: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await harness.visit(`/api/v1/${path}?${new URLSearchParams(query)}`, headers);
  return schema.parse(await answer.json());
}

/** To the last page. */
async function list(query: Record<string, string> = {}) {
  const found: z.output<typeof failingInvoicesPage>['invoices'] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: z.output<typeof failingInvoicesPage> = await ask(failingInvoicesPage, 'failing_invoices', {
      ...query,
      limit: '4',
      ...(after === '' ? {} : { after }),
    });
    found.push(...page.invoices);
    after = page.next;
  }
  return found;
}

const sumUp = (invoices: readonly { amount: number }[]) => ({
  invoices: invoices.length,
  amount: invoices.reduce((all, { amount }) => all + amount, 0),
});

/** What became of an invoice after its failure. */
const FATES: Readonly<Record<string, (failed: FailedInvoice) => Promise<unknown>>> = {
  nothing: async () => {},
  planned: ({ id }) =>
    insertAction(harness.database, {
      id: crypto.randomUUID(),
      ...{ account: 'own', invoiceId: id, customerId: `cus_${id}`, subscriptionId: `sub_${id}` },
      ...{ cause: 'operator', reference: `test ${id}`, requestId: undefined, paymentMethod: undefined },
      ...{ kind: 'pay', dueAt: NOW.plus({ days: 1 }), createdAt: NOW },
    }),
  asked: ({ id }) => insertSentEmail(harness.database, id, NOW.minus({ hours: 1 })),
  askedOften: async ({ id }) => {
    for (const days of [20, 10, 1]) await insertSentEmail(harness.database, id, NOW.minus({ days }));
  },
  unreachable: ({ id }) => {
    const reason = { code: 'no_address', customerId: `cus_${id}` };
    const detail = { action: 'card_update_email', guard: 'recipient', reason };
    return recordAudit(harness.database, {
      ...{ account: 'own', at: NOW, invoiceId: id, kind: 'email.undeliverable' as const, detail },
    });
  },
  disputed: ({ id, amount = 0 }) =>
    recordDispute(
      harness.database,
      {
        ...{ account: 'own', id: `dp_${id}`, invoiceId: id, amount },
        ...{ reason: 'general', status: 'needs_response' },
      },
      NOW,
    ),
  stopped: ({ id }) =>
    harness.database.query(
      `insert into payment_retry.holds (account, invoice_id, reason, held_at) values ('own', $1, 'agreed', now())`,
      [id],
    ),
  partPaid: ({ id }) =>
    harness.database.query(
      `update payment_retry.invoices set amount_remaining = amount_remaining / 2 where account = 'own' and id = $1`,
      [id],
    ),
  uncollectible: ({ id }) =>
    harness.database.query(
      `update payment_retry.invoices set status = 'uncollectible' where account = 'own' and id = $1`,
      [id],
    ),
};

const invoices = fc.array(
  fc.record({
    hours: fc.integer({ min: 1, max: MOST_HOURS }),
    amount: fc.integer({ min: 1, max: 99_999 }),
    currency: fc.constantFrom(...CURRENCIES),
    reason: fc.constantFrom('insufficient_funds', 'expired_card', 'highest_risk_level', 'merchant_blacklist'),
    isPaid: fc.boolean(),
    fate: fc.constantFrom(...Object.keys(FATES)),
  }),
  { minLength: 8, maxLength: 16 },
);

test('each number of the status and of each cause is the length of a list, which adds up to its sum', async () => {
  const stored = fc.asyncProperty(invoices, async (all) => {
    await harness.clear();
    for (const [index, { hours, isPaid, fate, ...more }] of all.entries()) {
      const at = NOW.minus({ hours });
      const failed = {
        id: `in_${index}`,
        at,
        ...more,
        ...(isPaid ? { paidAt: at.plus({ minutes: 9 }) } : {}),
      };
      await insertFailedInvoice(harness.database, failed);
      await FATES[fate]?.(failed);
      await harness.database.query(
        `insert into payment_retry.failure_changes (account, invoice_id) values ('own', $1)`,
        [failed.id],
      );
    }
    const everything = await list();
    expect(everything).toHaveLength(all.length);

    const { month, rows } = (await ask(statusAnswer, 'status')).money;
    for (const { currency, ...row } of rows) {
      const isOfMonth = ({ failedAt }: { failedAt: string }) => failedAt.startsWith(month);
      const own = everything.filter((one) => one.currency === currency && isOfMonth(one));
      const isIn = (...states: string[]) => sumUp(own.filter(({ state }) => states.includes(state)));
      expect([currency, row]).toEqual([
        currency,
        {
          failed: sumUp(own),
          recovered: isIn('recovered'),
          inRecovery: isIn('open', 'waiting'),
          lost: isIn('lost'),
          unpaid: sumUp(await list({ standing: 'unpaid', currency })),
          needsAttention: sumUp(await list({ standing: 'needs_attention', currency })),
        },
      ]);
    }

    const { causes } = await ask(needsAttentionAnswer, 'needs_attention', { limit: '0' });
    for (const { code, count, money } of causes) {
      const found = await list({ need: code });
      expect([code, count]).toEqual([code, found.length]);
      for (const { currency, amount } of money)
        expect([code, amount]).toEqual([
          code,
          sumUp(found.filter((one) => one.currency === currency)).amount,
        ]);
    }
    const standing = Object.fromEntries(
      await Promise.all(LISTINGS.map(async (name) => [name, await list({ standing: name })] as const)),
    );
    const lengthOf = (name: string) => standing[name]?.length ?? 0;
    expect(causes.reduce((sum, { count }) => sum + count, 0)).toBe(lengthOf('needs_attention'));
    // Each is in one of them.
    const ids = STANDINGS.flatMap((name) => standing[name] ?? []).map(({ invoice }) => invoice);
    expect(ids.sort()).toEqual(everything.map(({ invoice }) => invoice).sort());
    expect(lengthOf('unpaid')).toBe(everything.length - lengthOf('recovered') - lengthOf('lost'));
  });
  await fc.assert(stored, { numRuns: runs(40), endOnFailure: true });
});
