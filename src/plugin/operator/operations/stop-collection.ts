/** Stops all that is collected from a customer, present and future, until a person resumes it. */
import { z } from 'zod';
import type { Database, Queryable, Transaction } from '../../../core/database/database.ts';
import { listOwed, listSubscriptions } from '../../store/reports/money/customer-record.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { type CustomerKey, isKnownCustomer, listWorkOf } from '../../store/tables/forgotten.ts';
import { lockInvoice } from '../../store/tables/invoice-keys.ts';
import { endCustomerHold, findHold, holdInvoice } from '../../store/tables/retry/holds.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import {
  type Asking,
  defineOperation,
  type OperationDeps,
  oneCustomer,
  plural,
  previewOf,
  reasonGiven,
  recordOperation,
  result,
  type Say,
} from './operation.ts';
import { customerUnknown, customerUnknownWords } from './subjects.ts';

const customer = z.string();
const reach = z.object({
  invoices: z.int(),
  amounts: z.array(z.object({ currency: z.string(), amount: z.int() })),
  /** Stripe's own next attempts, which this does not stop. */
  stripeTries: z.array(z.object({ invoice: z.string(), at: z.string() })),
  /** Subscriptions that keep running. */
  renewals: z.array(z.object({ plan: z.string(), at: z.string() })),
});
type Reach = z.output<typeof reach>;

/** Works on a known customer in one transaction, during which nobody else stops or resumes. */
async function changeCustomer<const Result>(
  database: Database,
  { account, customer }: z.output<typeof oneCustomer>,
  change: (tx: Transaction, key: CustomerKey) => Promise<Result>,
) {
  const key = { account, customerId: customer };
  if (!(await isKnownCustomer(database, key)))
    return { outcome: 'not_found', code: 'customer_unknown', customer } as const;
  await refreshForReader(database);
  return database.transaction(async (tx) => {
    await lockInvoice(tx, { account, invoiceId: customer });
    return change(tx, key);
  });
}

interface Recorded {
  readonly asking: Asking;
  readonly key: CustomerKey;
  readonly at: ReturnType<OperationDeps['clock']['now']>;
  readonly kind: 'customer.stopped' | 'customer.resumed';
}

/** A line in the history of each unpaid invoice, or one without an invoice. */
async function recordFor(tx: Queryable, { asking, key, at, kind }: Recorded): Promise<void> {
  const { account, customerId } = key;
  const owed = (await listOwed(tx, key)).map(({ invoiceId }) => invoiceId);
  for (const invoiceId of owed.length > 0 ? owed : [undefined])
    await recordOperation(tx, asking, at, { account, invoiceId, kind, detail: { customerId } });
}

async function readReach(database: Queryable, key: CustomerKey): Promise<Reach> {
  const owed = await listOwed(database, key);
  const amounts = new Map<string, number>();
  for (const { currency, amount } of owed) amounts.set(currency, (amounts.get(currency) ?? 0) + amount);
  return {
    invoices: owed.length,
    amounts: [...amounts].map(([currency, amount]) => ({ currency, amount })),
    stripeTries: owed.flatMap(({ invoiceId: invoice, stripeTriesAt, isTakenOver }) =>
      stripeTriesAt && !isTakenOver ? [{ invoice, at: stripeTriesAt.toISO() }] : [],
    ),
    renewals: (await listSubscriptions(database, key)).flatMap(({ id, plan, planName, renewsAt }) =>
      renewsAt ? [{ plan: planName ?? plan ?? id, at: renewsAt.toISO() }] : [],
    ),
  };
}

/** What is stopped, and what Stripe still does on its own. */
function describeReach({ invoices, amounts, stripeTries, renewals }: Reach, say: Say): string[] {
  const sum = amounts.map(({ amount, currency }) => `, ${say.money(amount, currency)}`).join('');
  return [
    `${plural(invoices, 'unpaid invoice')}${sum}: no charge and no email until you resume, nor for later invoices`,
    ...(stripeTries.length === 0 ? ['Stripe has no retry scheduled'] : []),
    ...stripeTries.map(({ invoice, at }) => `Stripe retries ${invoice} at ${say.moment(at)} on its own`),
    ...renewals.map(
      ({ plan, at }) =>
        `${plan} keeps running and renews at ${say.moment(at)}; to end it, cancel it in Stripe`,
    ),
  ];
}

export const stopCollection = defineOperation({
  description: "Stop charges and emails for all of a customer's invoices until you resume.",
  movesMoney: false,
  needsReason: true,
  parameters: oneCustomer,
  result: z.discriminatedUnion('code', [
    result('changed', 'collection_stopped', { customer, closed: z.int(), ...reach.shape }),
    result('unchanged', 'collection_stopped_already', { customer, since: z.string(), reason: z.string() }),
    customerUnknown,
  ]),
  run: async ({ database, clock }, asking, of) => {
    const { account, customer } = of;
    const [at, reason] = [clock.now(), reasonGiven(asking)];
    return changeCustomer(database, of, async (tx, key) => {
      const facts = await readReach(tx, key);
      if (!(await holdInvoice(tx, { account, invoiceId: customer, reason, at }))) {
        const hold = await findHold(tx, { account, invoiceId: customer });
        const known = { since: (hold?.heldAt ?? at).toISO(), reason: hold?.reason ?? reason };
        return { outcome: 'unchanged', code: 'collection_stopped_already', customer, ...known };
      }
      const target = { account, invoiceIds: await listWorkOf(tx, key) };
      const closed = await closeScheduledActions(tx, target, { code: 'stopped_by_person', note: reason }, at);
      await recordFor(tx, { asking, key, at, kind: 'customer.stopped' });
      return { outcome: 'changed', code: 'collection_stopped', customer, closed, ...facts };
    });
  },
  preview: previewOf(oneCustomer, async ({ database }, { account, customer }) => {
    await refreshForReader(database);
    const facts = await readReach(database, { account, customerId: customer });
    return { will: (say) => describeReach(facts, say) };
  }),
  words: {
    ...customerUnknownWords,
    collection_stopped: ({ customer, closed, ...facts }, say) => [
      `collection from ${customer} is stopped (${plural(closed, 'planned action')} closed)`,
      ...describeReach(facts, say),
    ],
    collection_stopped_already: ({ customer, since, reason }, { moment }) =>
      `nothing changed: collection from ${customer} is stopped since ${moment(since)} (${reason})`,
  },
  history: { 'customer.stopped': 'a person stopped all collection' },
  command: {
    use: 'customers stop <customer>',
    needs: 'database',
    examples: ['customers stop cus_… --reason "asked us to stop charging"'],
  },
  form: {
    about: 'customer',
    title: 'Stop all collection',
    button: 'Stop collection',
    isDangerous: true,
    isOffered: ({ isHeld }) => !isHeld,
  },
});

export const resumeCollection = defineOperation({
  description: "Resume collecting a customer's invoices.",
  movesMoney: false,
  parameters: oneCustomer,
  result: z.discriminatedUnion('code', [
    result('changed', 'collection_resumed', { customer, since: z.string() }),
    result('unchanged', 'collection_not_stopped', { customer }),
    customerUnknown,
  ]),
  /** Closes requests from the time of the stop, which did not know of its end. */
  run: async ({ database, clock }, asking, of) => {
    const { account, customer } = of;
    const at = clock.now();
    return changeCustomer(database, of, async (tx, key) => {
      const since = await endCustomerHold(tx, key);
      if (!since) return { outcome: 'unchanged', code: 'collection_not_stopped', customer };
      const target = { account, invoiceIds: await listWorkOf(tx, key), keepsUndecided: true } as const;
      await closeScheduledActions(tx, target, { code: 'planned_before_release' }, at);
      await recordFor(tx, { asking, key, at, kind: 'customer.resumed' });
      return { outcome: 'changed', code: 'collection_resumed', customer, since: since.toISO() };
    });
  },
  preview: previewOf(oneCustomer, async () => ({
    will: () => 'Charge nothing now; the next instruction for each invoice is followed',
  })),
  words: {
    ...customerUnknownWords,
    collection_resumed: ({ customer }) =>
      `collection from ${customer} resumes with the next instruction for each invoice`,
    collection_not_stopped: ({ customer }) => `nothing changed: collection from ${customer} is not stopped`,
  },
  history: { 'customer.resumed': 'a person resumed all collection' },
  command: {
    use: 'customers resume <customer>',
    needs: 'database',
    examples: ['customers resume cus_… --reason "agreed on the phone"'],
  },
  form: {
    about: 'customer',
    title: 'Resume collection',
    button: 'Resume collection',
    isOffered: ({ isHeld }) => isHeld,
  },
});
