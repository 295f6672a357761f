import { z } from 'zod';
import { toIso } from '../../../core/base/clock.ts';
import { describeAction, REQUESTS, type RequestTemplate, requestKind } from '../../actions/action-kinds.ts';
import { previewEmail } from '../../retry/mail/send-customer-email.ts';
import { findInvoiceKey, lockInvoice } from '../../store/tables/invoice-keys.ts';
import { findLastEmail } from '../../store/tables/retry/emails.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { findLastAction, findOperatorsAction } from '../../store/tables/retry/planned-actions.ts';
import type { InvoiceKey } from '../../store/tables/retry/takeovers.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import { findPayerWords } from '../../store/tables/sync/payers.ts';
import { defineOperation, type OperationDeps, recordOperation, result } from './operation.ts';
import { draftAction, objected, objectedWords, objectPaused, toRefusal } from './retry.ts';
import { invoiceParameters, invoiceUnknown, previewOnInvoice, unknownWords } from './subjects.ts';

const NAMES = REQUESTS.join(' or ');

/** Minutes during which a second click, or a second operator, sends nothing more. */
const QUIET_MINUTES = 10;

const parameters = invoiceParameters.extend({
  template: z.enum(REQUESTS).optional().describe(`${NAMES}; left out, the last one that was asked for.`),
});
const template = z.enum(REQUESTS);

async function findLastTemplate(
  { database }: OperationDeps,
  key: InvoiceKey,
): Promise<RequestTemplate | undefined> {
  const last = await findLastAction(database, key, REQUESTS.map(requestKind));
  return REQUESTS.find((one) => requestKind(one) === last?.kind);
}

async function findObjection(deps: OperationDeps, key: InvoiceKey, chosen: RequestTemplate) {
  const draft = draftAction(deps, key, requestKind(chosen));
  return (await objectPaused(deps, key.account)) ?? previewEmail(deps.retry(), draft, chosen);
}

export const sendEmailAgain = defineOperation({
  description: 'Send the customer of an invoice the email about it again.',
  movesMoney: false,
  isFinal: true,
  parameters,
  result: z.discriminatedUnion('code', [
    result('changed', 'email_planned', { invoice: z.string(), template, action: z.string() }),
    result('unchanged', 'email_sent_just_now', { invoice: z.string(), template, minutes: z.int() }),
    result('refused', 'no_email_before', { invoice: z.string() }),
    objected,
    invoiceUnknown,
  ]),
  /** The customer's hours and the limits on reminders are for the service: a person knows that the customer waits for it. */
  run: async (deps, asking, { invoice, account, template: asked }) => {
    const { database, clock, enqueue } = deps;
    const key = await findInvoiceKey(database, invoice, account);
    if (!key) return { outcome: 'not_found', code: 'invoice_unknown', invoice };
    const template = asked ?? (await findLastTemplate(deps, key));
    if (!template) return { outcome: 'refused', code: 'no_email_before', invoice };
    const objection = await findObjection(deps, key, template);
    if (objection) return toRefusal(invoice, objection);
    return database.transaction(async (tx) => {
      await lockInvoice(tx, key);
      const now = clock.now();
      const since = now.minus({ minutes: QUIET_MINUTES });
      if (await findOperatorsAction(tx, key, [requestKind(template)], since)) {
        const details = { invoice, template, minutes: QUIET_MINUTES };
        return { outcome: 'unchanged', code: 'email_sent_just_now', ...details };
      }
      const action = draftAction(deps, key, requestKind(template));
      await planAction({ enqueue }, tx, { ...action, dueAt: now, createdAt: now });
      const detail = { actionId: action.id, template };
      await recordOperation(tx, asking, now, { ...key, kind: 'operator.emailed', detail });
      return { outcome: 'changed', code: 'email_planned', invoice, template, action: action.id };
    });
  },
  preview: previewOnInvoice(parameters, async (deps, key, { invoice, template }) => {
    const chosen = template ?? (await findLastTemplate(deps, key));
    if (!chosen) return {};
    const stored = await findInvoice(deps.database, key.account, invoice);
    const payer = { account: key.account, customerId: stored?.customerId ?? '', method: undefined };
    const { email } = await findPayerWords(deps.database, payer);
    const last = await findLastEmail(deps.database, key);
    return {
      will: ({ person, moment }) =>
        `Send ${person({ name: null, email })} the ${describeAction(requestKind(chosen))} now, whatever the usual hours; ${
          last
            ? `the last email went to ${last.recipient} at ${moment(toIso(last.sentAt))}`
            : 'no email about it has gone out'
        }`,
      objection: await findObjection(deps, key, chosen),
    };
  }),
  words: {
    ...unknownWords,
    ...objectedWords,
    email_planned: ({ invoice, template }, say) =>
      `the ${describeAction(requestKind(template))} about ${say.invoice(invoice)} goes out within minutes`,
    email_sent_just_now: ({ invoice, template, minutes }, say) =>
      `nothing changed: a person had the ${describeAction(requestKind(template))} about ${say.invoice(invoice)} sent less than ${minutes} minutes ago`,
    no_email_before: ({ invoice }, say) =>
      `no email about ${say.invoice(invoice)} was asked for before: say which${say.technical(`, ${NAMES}`)}`,
  },
  history: { 'operator.emailed': 'email requested' },
  command: {
    use: 'invoices email <invoice>',
    values: { template: '<name>' },
    needs: 'settings',
    examples: ['invoices email in_…', 'invoices email in_… --template card_update'],
  },
  form: {
    about: 'invoice',
    title: 'Send the email again',
    button: 'Send it again',
    isOffered: ({ hadEmail }) => hadEmail,
  },
  app: { needs: 'operate' },
});
