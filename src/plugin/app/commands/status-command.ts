import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Database, Queryable } from '../../../core/database/database.ts';
import { listFigures, nameRow } from '../../operator/figures/list-figures.ts';
import type { MoneyFacts } from '../../operator/figures/money-facts.ts';
import { readMonth, toMoney } from '../../operator/figures/money-of-month.ts';
import {
  type FailingInvoicesPage,
  failingInvoicesQuery,
  listFailingInvoices,
} from '../../operator/lists/failing-invoices.ts';
import { describeFailingInvoices } from '../../operator/lists/failing-invoices-table.ts';
import type { CommandResult } from '../../operator/text/command-result.ts';
import { describeHistory, describeSummary, findLatestCase } from '../../operator/text/describe-summary.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import { lineOf, listTimeline } from '../../operator/text/list-timeline.ts';
import { describeStatus } from '../../operator/text/status/describe-status.ts';
import { alignColumns, foldLines, paint, type TextCell } from '../../operator/text/text-table.ts';
import { findInvoiceHistory } from '../../store/reports/invoice-history.ts';
import { readWorkStatus } from '../../store/reports/work-status.ts';
import {
  findSubscriptionDelivery,
  type SubscriptionDelivery,
} from '../../store/tables/sync/subscriptions.ts';
import { columnsOf, print, type StoreCommandRow } from './store-command.ts';

const statusOptions = z.object({ json: z.boolean().default(false) });
export type StatusOptions = z.input<typeof statusOptions>;

/** Exit code 1 if something needs attention, or nothing is known about the invoice. */
export const status: StoreCommandRow = {
  group: 'Operate',
  name: 'status [id]',
  description: 'show what needs attention, or the history of one id',
  options: [['--json', 'print it as JSON']],
  environment: 'database',
  examples: ['status', 'status in_…', 'status sub_… --json'],
  exitCodes: { 1: 'something needs attention, or the id is unknown' },
  run: (context, [id], options) => {
    const { json } = statusOptions.parse(options);
    return context.withStore(async (deps) => {
      const { database, clock } = deps;
      const { hasColors = false } = context.output;
      const columns = columnsOf(context.output);
      const fold = (text: string) => (json ? text : foldLines(text, columns));
      const now = clock.now();
      const inRed = (line: string) => paint(line, 'bad', hasColors);
      if (id === undefined) {
        const facts = await readMonth(deps);
        const { code, text } = await reportStatus(database, { json, money: toMoney(facts) }, now, inRed);
        const figures = json ? [] : describeMoney(facts, hasColors);
        return print(context, { code, text: fold([...figures, text].join('\n')) });
      }
      if (!/^(sub|cus)_/.test(id)) {
        const { code, text } = await reportInvoice(database, id, { json });
        return print(context, { code, text: fold(text) });
      }
      const subject = await findSubject(database, now, id);
      if (!subject) return print(context, unknown(id, json));
      const format = { now, hasColors, columns };
      return print(context, json ? toJson(subject) : fold(describeSubject(subject, format)));
    });
  },
};

/** The money in columns; nothing before a payment has failed. */
function describeMoney(facts: MoneyFacts, hasColors: boolean): string[] {
  const parts = facts.rows.map((row) => {
    const title = facts.rows.length === 1 ? [] : [`${nameRow(row)}:`];
    const cells = listFigures(facts, row, 'en').map(({ name, value, text, tone }): TextCell[] => [
      ...[{ text: name }, { text: value, tone, isNumber: true }, { text, tone: 'soft' as const }],
    ]);
    return [...title, ...alignColumns(cells, hasColors), ''];
  });
  return parts.flat();
}

export async function reportStatus(
  db: Queryable,
  { json, money }: StatusOptions & { readonly money?: object },
  now: DateTime,
  alarm?: (line: string) => string,
): Promise<CommandResult> {
  const status = await readWorkStatus(db, now);
  const text = json ? toJson({ ...status, money }) : describeStatus(status, now, alarm);
  return { code: status.needsPerson ? 1 : 0, text };
}

export async function reportInvoice(
  db: Queryable,
  invoiceId: string,
  { json }: StatusOptions,
): Promise<CommandResult> {
  const known = await findInvoiceHistory(db, invoiceId);
  if (!known) return unknown(invoiceId, json ?? false);
  const { invoice = null } = known;
  const text = json
    ? toJson({
        id: invoiceId,
        invoice,
        history: listTimeline([{ id: invoiceId, history: known }])
          .reverse()
          .map((entry) => ({ ...entry, text: lineOf(entry) })),
        summary: describeSummary(invoiceId, known),
        recoveryCase: findLatestCase(known) ?? null,
      })
    : describeHistory(invoiceId, known);
  return { code: 0, text };
}

function unknown(id: string, json: boolean): CommandResult {
  const message = `nothing is known about ${id}`;
  return { code: 1, text: json ? toJson({ id, message }) : message };
}

function toJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

interface Subject extends FailingInvoicesPage {
  readonly id: string;
  /** Null where the id is a customer's. */
  readonly subscription: SubscriptionDelivery | null;
}

/** Undefined if nothing is known about it. */
async function findSubject(database: Database, now: DateTime, id: string): Promise<Subject | undefined> {
  const subscription = await findSubscriptionDelivery(database, id);
  const isSubscription = id.startsWith('sub_');
  const query = failingInvoicesQuery.parse(isSubscription ? { subscription: id } : { customer: id });
  const page = await listFailingInvoices(database, now, query);
  if (!subscription && page.invoices.length === 0) return undefined;
  return { id, subscription: subscription ?? null, ...page };
}

function describeSubject(
  { id, subscription, invoices, next }: Subject,
  format: Parameters<typeof describeFailingInvoices>[1],
): string {
  const title = subscription
    ? `${id}: ${subscription.status}, customer ${subscription.customerId}; ${describeDelivery(subscription)}`
    : id;
  const failing =
    invoices.length === 0 ? ['No payment of an invoice failed.'] : describeFailingInvoices(invoices, format);
  return [
    title,
    ...failing.map((line) => `  ${line}`),
    ...(next === null
      ? []
      : [`  more: list --${subscription ? 'subscription' : 'customer'} ${id} --after ${next}`]),
  ].join('\n');
}

function describeDelivery(delivery: SubscriptionDelivery): string {
  const { deliveredAt, requestId, refusedAnswer, unmappedReason } = delivery;
  if (unmappedReason !== null) return `not forwarded to the service: ${unmappedReason}`;
  if (refusedAnswer !== null) return `the service refuses it: ${refusedAnswer}`;
  return deliveredAt === null
    ? 'not sent to the service yet'
    : `the service has its state of ${exactMoment(deliveredAt)}${requestId === null ? '' : ` (request ${requestId})`}`;
}
