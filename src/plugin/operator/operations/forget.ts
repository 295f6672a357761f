import { z } from 'zod';
import { eraseCustomer } from '../../store/erasure/erase-customer.ts';
import {
  type CustomerKey,
  findForgotten,
  isKnownCustomer,
  listWorkOf,
  recordForgotten,
  toForgetJob,
} from '../../store/tables/forgotten.ts';
import { closeScheduledActions, listPlannedWork } from '../../store/tables/retry/stop-actions.ts';
import { describePlanned } from './describe-planned.ts';
import {
  type Asking,
  defineOperation,
  type OperationDeps,
  oneCustomer,
  type Preview,
  plural,
  previewOf,
  recordOperation,
  result,
} from './operation.ts';

/** Rows that lost something, by table. */
const removed = z.record(z.string(), z.int());

const forgetResult = z.discriminatedUnion('code', [
  /** `closed`: planned actions that were ended by it. The service's own copy goes by a job. */
  result('changed', 'forgotten', { customer: z.string(), closed: z.int(), removed }),
  result('unchanged', 'forgotten_already', {
    customer: z.string(),
    since: z.string(),
    isFinished: z.boolean(),
  }),
  result('not_found', 'customer_unknown', { customer: z.string() }),
]);

type ForgetDeps = Pick<OperationDeps, 'database' | 'clock' | 'enqueue'>;

/**
 * Stops all plans and all writing of personal data for the customer first, then erases the stored data. An interrupted erasure
 * is finished by asking again, or by its job.
 */
export async function forgetCustomer(
  { database, clock, enqueue }: ForgetDeps,
  asking: Asking,
  { customer, account }: z.output<typeof oneCustomer>,
): Promise<z.output<typeof forgetResult>> {
  const key = { account, customerId: customer };
  const known = await findForgotten(database, key);
  if (!known && !(await isKnownCustomer(database, key)))
    return { outcome: 'not_found', code: 'customer_unknown', customer };
  const closed = await beginForgetting({ database, clock, enqueue }, asking, key);
  const removed = await eraseCustomer(database, key);
  if (Object.keys(removed).length > 0)
    await recordOperation(database, asking, clock.now(), {
      account,
      invoiceId: undefined,
      kind: 'customer.erased',
      detail: { customerId: customer, removed },
    });
  if (!known || closed > 0 || Object.keys(removed).length > 0)
    return { outcome: 'changed', code: 'forgotten', customer, closed, removed };
  const { askedAt, finishedAt } = known;
  return {
    outcome: 'unchanged',
    code: 'forgotten_already',
    customer,
    since: askedAt.toISO(),
    isFinished: finishedAt !== null,
  };
}

/** `emails: 3 rows`, by table. */
export function describeRemoved(removed: Readonly<Record<string, number>>): string[] {
  return Object.entries(removed).map(
    ([table, count]) => `${table.replaceAll('_', ' ')}: ${plural(count, 'row')}`,
  );
}

async function beginForgetting(
  { database, clock, enqueue }: ForgetDeps,
  asking: Asking,
  key: CustomerKey,
): Promise<number> {
  const at = clock.now();
  return database.transaction(async (tx) => {
    const isNew = await recordForgotten(tx, key, at);
    const invoiceIds = await listWorkOf(tx, key);
    const closed = await closeScheduledActions(
      tx,
      { account: key.account, invoiceIds },
      { code: 'customer_forgotten' },
      at,
    );
    if (!isNew) return closed;
    const detail = { customerId: key.customerId };
    await recordOperation(tx, asking, at, {
      account: key.account,
      invoiceId: undefined,
      kind: 'customer.forgotten',
      detail,
    });
    await enqueue('forget-customer', [toForgetJob(key)], tx);
    return closed;
  });
}

async function previewForgetting(
  { database }: OperationDeps,
  { customer, account }: z.output<typeof oneCustomer>,
): Promise<Preview> {
  const invoiceIds = await listWorkOf(database, { account, customerId: customer });
  const planned = await listPlannedWork(database, { account, invoiceIds });
  return {
    will: (say) =>
      `Erase the name, the email address, cards, emails and notes for good, and close ${describePlanned(planned, say) ?? 'what the service asks for'}; amounts, outcomes, times and Stripe's ids stay, and Stripe keeps its own data`,
  };
}

export const forget = defineOperation({
  description: "Erase a customer's personal data and stop collecting; amounts and outcomes stay.",
  movesMoney: false,
  isFinal: true,
  role: 'administrator',
  parameters: oneCustomer,
  result: forgetResult,
  run: forgetCustomer,
  preview: previewOf(oneCustomer, previewForgetting),
  words: {
    forgotten: ({ customer, closed, removed }) => [
      `${customer} is forgotten (${plural(closed, 'planned action')} closed); amounts, outcomes, times and ids stay`,
      ...describeRemoved(removed).map((line) => `  ${line}`),
      'the embedded service forgets within minutes; a remote one has its own copy: ask whoever runs it',
    ],
    forgotten_already: ({ customer, since, isFinished }, { moment }) =>
      `nothing changed: ${customer} is forgotten since ${moment(since)}${isFinished ? '' : '; the embedded service has not confirmed it yet'}`,
    customer_unknown: ({ customer }) => `nothing is known about ${customer}`,
  },
  history: { 'customer.forgotten': 'a customer was forgotten' },
  command: {
    use: 'customers forget <customer>',
    needs: 'database',
    examples: ['customers forget cus_… --reason "asked for it"'],
  },
  form: {
    about: 'part',
    title: 'Erase data',
    button: 'Erase for good',
    isDangerous: true,
    isTyped: true,
    asks: [{ name: 'typed', label: 'Type the customer’s name or ID', as: 'text' }],
  },
});
