import { z } from 'zod';
import {
  cardUpdateUrl as addressOf,
  createLinkToken,
  LINK_LIFE_DAYS,
} from '../../retry/mail/card-update-link.ts';
import { listFailures } from '../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { findForgotten, isKnownCustomer } from '../../store/tables/forgotten.ts';
import { defineOperation, type OperationDeps, oneCustomer, recordOperation, result } from './operation.ts';
import { customerUnknown, customerUnknownWords } from './subjects.ts';

const customer = z.string();

/** The one that failed last. */
async function findUnpaid(
  database: OperationDeps['database'],
  account: string,
  customer: string,
): Promise<string | undefined> {
  await refreshForReader(database);
  for (const state of ['open', 'waiting'] as const) {
    const filter = { account, customer, state };
    const [latest] = await listFailures(database, filter, { sort: 'failed', limit: 1 });
    if (latest) return latest.invoiceId;
  }
  return undefined;
}

export const cardUpdateUrl = defineOperation({
  description: 'Create a link to the page where a customer updates the card.',
  movesMoney: false,
  parameters: oneCustomer.extend({
    days: z.coerce
      .number('a number')
      .int()
      .min(1)
      .max(LINK_LIFE_DAYS)
      .default(1)
      .describe(`How long it is good for: 1 to ${LINK_LIFE_DAYS} days; left out, one.`),
  }),
  result: z.discriminatedUnion('code', [
    /** `invoice`: the first invoice on the page; null where nothing is open and the page is about the card alone. */
    result('changed', 'link_made', {
      customer,
      url: z.string(),
      expiresAt: z.string(),
      invoice: z.string().nullable(),
    }),
    customerUnknown,
    result('refused', 'customer_forgotten', { customer }),
    result('refused', 'no_link_secret', {}),
  ]),
  isSecret: true,
  /** The link lets its owner give the customer another card: it is returned and stored nowhere; the audit records that it exists. */
  run: async ({ database, clock, config }, asking, { customer, account, days }) => {
    const { linkSecret, publicUrl } = config();
    if (linkSecret === undefined) return { outcome: 'refused', code: 'no_link_secret' };
    const key = { account, customerId: customer };
    if (await findForgotten(database, key))
      return { outcome: 'refused', code: 'customer_forgotten', customer };
    if (!(await isKnownCustomer(database, key)))
      return { outcome: 'not_found', code: 'customer_unknown', customer };
    const invoice = await findUnpaid(database, account, customer);
    const now = clock.now();
    const claims = { ...key, invoiceId: invoice ?? null, expiresAt: now.plus({ days }) };
    const token = createLinkToken(
      invoice === undefined ? { ...claims, isAboutCard: true } : claims,
      linkSecret,
    );
    const expiresAt = claims.expiresAt.startOf('second').toISO();
    const detail = { customerId: customer, expiresAt };
    await recordOperation(database, asking, now, {
      account,
      invoiceId: invoice,
      kind: 'operator.linked',
      detail,
    });
    const { href: url } = addressOf(publicUrl, token);
    return { outcome: 'changed', code: 'link_made', customer, url, expiresAt, invoice: invoice ?? null };
  },
  words: {
    link_made: ({ customer, url, expiresAt }, { moment }) => [
      `for ${customer} alone, until ${moment(expiresAt)}; whoever has the link can use it:`,
      url,
    ],
    ...customerUnknownWords,
    customer_forgotten: ({ customer }) => `${customer} is forgotten: there is no page for them`,
    no_link_secret: () => 'no link was made: set LINK_SECRET, which signs it',
  },
  history: { 'operator.linked': 'card link created' },
  command: {
    use: 'customers card-link <customer>',
    values: { days: '<n>' },
    needs: 'settings',
    examples: ['customers card-link cus_…', 'customers card-link cus_… --days 7 --reason "asked in chat"'],
  },
  form: { about: 'customer', title: 'Create card link', button: 'Create link' },
});
