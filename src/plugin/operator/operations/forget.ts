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
import { closeScheduledActions, listPlannedWork } from '../../store/tables/retry/planned-actions.ts';
import {
  type Asking,
  defineOperation,
  type OperationDeps,
  oneCustomer,
  plural,
  previewOf,
  recordOperation,
  result,
} from './operation.ts';
import { customerUnknown, customerUnknownWords, describePlanned } from './subjects.ts';

const customer = z.string();

/** `emails: 3 rows`, by table. */
export function describeRemoved(removed: Readonly<Record<string, number>>): string[] {
  return Object.entries(removed).map(
    ([table, count]) => `${table.replaceAll('_', ' ')}: ${plural(count, 'row')}`,
  );
}

async function beginForgetting(
  { database, clock, enqueue }: OperationDeps,
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
      kind: 'customer.forgotten',
      detail,
    });
    await enqueue('forget-customer', [toForgetJob(key)], tx);
    return closed;
  });
}

export const forget = defineOperation({
  description: "Erase a customer's personal data and stop collecting; amounts and outcomes stay.",
  movesMoney: false,
  isFinal: true,
  role: 'administrator',
  parameters: oneCustomer,
  result: z.discriminatedUnion('code', [
    /** `closed`: planned actions that were ended by it; `removed`: rows by table. The service's own copy goes by a job. */
    result('changed', 'forgotten', { customer, closed: z.int(), removed: z.record(z.string(), z.int()) }),
    result('unchanged', 'forgotten_already', { customer, since: z.string(), isFinished: z.boolean() }),
    customerUnknown,
  ]),
  /**
   * Stops all plans and all writing of personal data for the customer first, then erases the stored data. An interrupted erasure
   * is finished by asking again, or by its job.
   */
  run: async (deps, asking, { customer, account }) => {
    const { database, clock } = deps;
    const key = { account, customerId: customer };
    const known = await findForgotten(database, key);
    if (!known && !(await isKnownCustomer(database, key)))
      return { outcome: 'not_found', code: 'customer_unknown', customer };
    const closed = await beginForgetting(deps, asking, key);
    const removed = await eraseCustomer(database, key);
    if (Object.keys(removed).length > 0)
      await recordOperation(database, asking, clock.now(), {
        account,
        kind: 'customer.erased',
        detail: { customerId: customer, removed },
      });
    if (!known || closed > 0 || Object.keys(removed).length > 0)
      return { outcome: 'changed', code: 'forgotten', customer, closed, removed };
    const { askedAt, finishedAt } = known;
    const details = { customer, since: askedAt.toISO(), isFinished: finishedAt !== null };
    return { outcome: 'unchanged', code: 'forgotten_already', ...details };
  },
  preview: previewOf(oneCustomer, async ({ database }, { customer, account }) => {
    const invoiceIds = await listWorkOf(database, { account, customerId: customer });
    const planned = await listPlannedWork(database, { account, invoiceIds });
    return {
      will: (say) =>
        `Erase the name, the email address, cards, emails and notes for good, and close ${describePlanned(planned, say) ?? 'what the service asks for'}; amounts, outcomes, times and Stripe's ids stay, and Stripe keeps its own data`,
    };
  }),
  words: {
    forgotten: ({ customer, closed, removed }) => [
      `${customer} is forgotten (${plural(closed, 'planned action')} closed); amounts, outcomes, times and ids stay`,
      ...describeRemoved(removed).map((line) => `  ${line}`),
      'the embedded service forgets within minutes; a remote one has its own copy: ask whoever runs it',
    ],
    forgotten_already: ({ customer, since, isFinished }, { moment }) =>
      `nothing changed: ${customer} is forgotten since ${moment(since)}${isFinished ? '' : '; the embedded service has not confirmed it yet'}`,
    ...customerUnknownWords,
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
