import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { reasonSchema } from '../../reasons/reason.ts';
import type { Objection } from '../../retry/actions/objection.ts';
import { previewPayment } from '../../retry/payment/judge-payment.ts';
import { findInvoiceKey, lockInvoice } from '../../store/tables/invoice-keys.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { findOperatorsAction } from '../../store/tables/retry/planned-actions.ts';
import type { InvoiceKey } from '../../store/tables/retry/takeovers.ts';
import { findPayerWords } from '../../store/tables/sync/payers.ts';
import { defineOperation, type OperationDeps, recordOperation, result, type Say } from './operation.ts';
import { invoiceParameters, invoiceUnknown, previewOnInvoice, unknownWords } from './subjects.ts';

/** What a guard says against it, and when it would be looked at again. */
export const objected = result('refused', 'guard_objects', {
  invoice: z.string(),
  guard: z.string(),
  reason: reasonSchema,
  until: z.string().optional(),
});

export const objectedWords = {
  guard_objects: ({ invoice, guard, reason, until }: z.output<typeof objected>, say: Say) =>
    `nothing was done for ${say.invoice(invoice)}: ${say.reason(reason)}${say.technical(` (guard ${guard})`)}${until === undefined ? '' : `; possible from ${say.moment(until)}`}`,
};

async function previewRetry(deps: OperationDeps, action: StoredAction) {
  const paused = await objectPaused(deps, action.account);
  if (paused) return { objection: paused, observed: undefined };
  return previewPayment(deps.retry(), action);
}

/** The objection while payments and emails are paused. */
export async function objectPaused(
  { database }: Pick<OperationDeps, 'database'>,
  account: string,
): Promise<Objection | undefined> {
  const pause = await findPause(database, account);
  return pause && { guard: 'paused', reason: { code: 'effects_paused', note: pause.reason } };
}

export function toRefusal(invoice: string, { guard, reason, until }: Objection): z.output<typeof objected> {
  const at = until?.toUTC().toISO() ?? undefined;
  return { outcome: 'refused', code: 'guard_objects', invoice, guard, reason, until: at };
}

/** An action as it would be stored. */
export function draftAction(
  { clock }: Pick<OperationDeps, 'clock'>,
  { account, invoiceId }: InvoiceKey,
  kind: StoredAction['kind'],
): StoredAction {
  const id = randomUUID();
  const now = clock.now();
  return {
    id,
    account,
    invoiceId,
    kind,
    cause: 'operator',
    reference: id,
    state: 'scheduled',
    customerId: null,
    subscriptionId: null,
    requestId: null,
    paymentMethod: null,
    dueAt: now,
    createdAt: now,
    claimedUntil: null,
    closedAt: null,
    reason: null,
  };
}

export const retry = defineOperation({
  description: 'Charge an invoice now, once, if every guard allows it.',
  movesMoney: true,
  isFinal: true,
  parameters: invoiceParameters,
  result: z.discriminatedUnion('code', [
    /** `observed`: the setting because of which it is only written down. */
    result('changed', 'retry_planned', {
      invoice: z.string(),
      action: z.string(),
      observed: z.string().optional(),
    }),
    result('unchanged', 'retry_planned_already', { invoice: z.string(), action: z.string() }),
    objected,
    invoiceUnknown,
  ]),
  /**
   * Plans one payment that is due now, which goes the way of every other: claimed, judged by the guards once more, written
   * down, and made once. What a guard objects to now is not planned at all.
   */
  run: async (deps, asking, { invoice, account }) => {
    const { database, clock, enqueue } = deps;
    const key = await findInvoiceKey(database, invoice, account);
    if (!key) return { outcome: 'not_found', code: 'invoice_unknown', invoice };
    const planned = await findOperatorsAction(database, key, ['pay']);
    if (planned) return { outcome: 'unchanged', code: 'retry_planned_already', invoice, action: planned };
    const draft = draftAction(deps, key, 'pay');
    const { objection, observed, ...judged } = await previewRetry(deps, draft);
    if (objection) return toRefusal(invoice, objection);
    const payable = 'invoice' in judged ? judged.invoice : undefined;
    const payer = payable && { customerId: payable.customerId, subscriptionId: payable.subscription?.id };
    return database.transaction(async (tx) => {
      await lockInvoice(tx, key);
      const other = await findOperatorsAction(tx, key, ['pay']);
      if (other) return { outcome: 'unchanged', code: 'retry_planned_already', invoice, action: other };
      const now = clock.now();
      await planAction({ enqueue }, tx, { ...draft, ...payer, dueAt: now, createdAt: now });
      const detail = { actionId: draft.id };
      await recordOperation(tx, asking, now, { ...key, kind: 'operator.retried', detail });
      return { outcome: 'changed', code: 'retry_planned', invoice, action: draft.id, observed };
    });
  },
  preview: previewOnInvoice(invoiceParameters, async (deps, key) => {
    const predicted = await previewRetry(deps, draftAction(deps, key, 'pay'));
    if (!('used' in predicted) || !predicted.invoice) return { objection: predicted.objection };
    const { invoice: payable, method, used, objection, observed } = predicted;
    const payer = { account: key.account, customerId: payable.customerId, method: method?.id };
    const { last4, ...person } = await findPayerWords(deps.database, payer);
    const card = { brand: method?.brand, last4: last4 ?? undefined };
    const count = used && `; ${used.attempts} of ${used.of} attempts used`;
    const will = (say: Say) => {
      const sum = say.money(payable.amountRemaining, payable.currency);
      const what = `${sum} to ${say.card(card)} of ${say.person(person)}`;
      return observed === undefined
        ? `Charge ${what} now${count}`
        : `Write down that ${what} would be charged (${observed})${count}`;
    };
    return { objection, will };
  }),
  words: {
    ...unknownWords,
    ...objectedWords,
    retry_planned: ({ invoice, observed }, say) =>
      observed === undefined
        ? `${say.invoice(invoice)} is charged within minutes, unless a guard objects then; its history shows it`
        : `${say.invoice(invoice)} is only observed (${observed}): what would be charged is written down`,
    retry_planned_already: ({ invoice }, say) =>
      `nothing changed: a payment of ${say.invoice(invoice)} that a person asked for is under way`,
  },
  history: { 'operator.retried': 'retry requested' },
  command: {
    use: 'invoices retry <invoice>',
    needs: 'settings',
    examples: ['invoices retry in_… --check', 'invoices retry in_… --reason "the customer called"'],
  },
  form: { about: 'invoice', title: 'Retry now', button: 'Charge the customer now' },
  app: { needs: 'operate' },
});
