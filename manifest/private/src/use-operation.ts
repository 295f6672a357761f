/** One operation on one invoice: opened, confirmed, carried out, reported. The server says what there is, and what each would do. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { useRefreshDashboardData } from '@stripe/ui-extension-sdk/utils/context.js';
import { useState } from 'react';
import type { ChangeAnswer, InvoiceAnswer, OfferedOperation } from './answers.ts';
import { type Answer, askBackend } from './ask-backend.ts';
import { zoneHere } from './format.ts';
import { explainRefusal } from './words.ts';

interface Invoice {
  readonly id: string;
  /** The customer and the amount, where the view shows several invoices. */
  readonly about?: string;
}

export interface Opened {
  readonly invoice: Invoice;
  readonly operation: OfferedOperation;
}

export type Parameters = Readonly<Record<string, string>>;

export interface Report {
  readonly text: string;
  readonly isDone: boolean;
}

export interface OperationInView {
  readonly opened: Opened | undefined;
  /** Opens one that the view has, or closes with undefined. */
  readonly open: (opened: Opened | undefined) => void;
  /** Opens the one of this title, as the invoice is now. */
  readonly find: (invoice: Invoice, title: string) => Promise<void>;
  /** Carries out the one that is open. */
  readonly confirm: (extra?: Parameters) => Promise<void>;
  readonly isBusy: boolean;
  /** The result of the last one. */
  readonly report: Report | undefined;
  readonly dismissReport: () => void;
}

export function useOperation(context: ExtensionContextValue, reload: () => Promise<void>): OperationInView {
  const refreshDashboard = useRefreshDashboardData();
  const [opened, open] = useState<Opened | undefined>();
  const [isBusy, setBusy] = useState(false);
  const [report, setReport] = useState<Report | undefined>();
  const whileBusy = async (work: () => Promise<void>) => {
    setBusy(true);
    await work();
    setBusy(false);
  };
  const find = (invoice: Invoice, title: string) =>
    whileBusy(async () => {
      const found = await findOperation(context, invoice.id, title);
      if ('operation' in found) return open({ invoice, operation: found.operation });
      setReport(found);
      await reload();
    });
  const confirm = (extra: Parameters = {}) =>
    whileBusy(async () => {
      if (opened === undefined) return;
      const done = await carryOut(context, opened, extra);
      open(undefined);
      setReport(done);
      await reload();
      // The page around the view: an invoice that was just paid says so.
      if (done.isDone) await refreshDashboard();
    });
  return { opened, open, find, confirm, isBusy, report, dismissReport: () => setReport(undefined) };
}

async function findOperation(
  context: ExtensionContextValue,
  id: string,
  title: string,
): Promise<Report | { readonly operation: OfferedOperation }> {
  const answer = await ask<InvoiceAnswer>(context, 'invoice', { id });
  if (answer.state === 'failed')
    return { text: `The server did not answer (${answer.message}). Nothing was done.`, isDone: false };
  if (answer.state === 'refused') return { text: explainRefusal(answer.code, answer.message), isDone: false };
  const offered = answer.data.isKnown ? answer.data.operations : [];
  const operation = offered.find((one) => one.title === title);
  if (operation === undefined) return { text: 'The invoice does not need this any more.', isDone: false };
  return operation.refusal === null ? { operation } : { text: operation.refusal, isDone: false };
}

async function carryOut(
  context: ExtensionContextValue,
  { invoice: { id }, operation: { request, parameters } }: Opened,
  extra: Parameters,
): Promise<Report> {
  const answer = await ask<ChangeAnswer>(context, request, { id, ...parameters, ...extra });
  if (answer.state === 'failed')
    return {
      text: `It is not known whether it was done: the server did not answer (${answer.message}). Reload to see.`,
      isDone: false,
    };
  if (answer.state === 'refused') return { text: explainRefusal(answer.code, answer.message), isDone: false };
  return { text: answer.data.text, isDone: answer.data.outcome === 'changed' };
}

function ask<Data>(
  context: ExtensionContextValue,
  request: string,
  parameters: Parameters,
): Promise<Answer<Data>> {
  const { locale } = context.userContext;
  return askBackend(context, { request, parameters: { ...parameters, locale, timeZone: zoneHere() } });
}
