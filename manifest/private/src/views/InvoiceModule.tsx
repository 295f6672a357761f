/** @jsxRuntime automatic @jsxImportSource react */
/** Inside the page of an invoice: its status, the next step and why, and what a person can do. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import type { InvoiceAnswer, KnownInvoice } from '../answers.ts';
import { formatMoment, formatMoney, inDays } from '../format.ts';
import { Module, type ModuleContents, property } from '../parts/module.tsx';
import { useBackend } from '../use-backend.ts';
import { type Opened, type OperationInView, useOperation } from '../use-operation.ts';

/** The page around it has a timeline of its own. */
const LATEST = 5;
const POSTPONE_DAYS = [1, 3, 7] as const;

const InvoiceModule = (context: ExtensionContextValue) => {
  const id = context.environment.objectContext?.id;
  const backend = useBackend<InvoiceAnswer>(context, 'invoice', id);
  const operation = useOperation(context, backend.reload);
  const { locale } = context.userContext;
  return (
    <Module
      context={context}
      backend={backend}
      empty="No payment of this invoice has failed: there is nothing to recover."
    >
      {(data) => {
        if (!data.isKnown) return { items: [], actions: [] };
        // The Dashboard keeps the view when it goes on to another invoice.
        const { opened } = operation;
        return opened?.invoice.id === data.id
          ? askBack(opened, operation)
          : showStatus(data, operation, locale);
      }}
    </Module>
  );
};

function showStatus(data: KnownInvoice, operation: OperationInView, locale: string): ModuleContents {
  const { amount, currency, customer, standing, need, status, timeline, operations, mayOperate } = data;
  const { report, isBusy } = operation;
  const amountShown = formatMoney(locale, amount, currency);
  const first = standing === null ? amountShown : `${amountShown} · ${standing.label}`;
  const refused = operations.filter(({ refusal }) => refusal !== null);
  const items = [
    ...(report ? [property(report.isDone ? 'Done' : 'Not done', [report.text])] : []),
    property('Recovery', [[first, customer ?? '']]),
    ...(need ? [property('Needs attention', [[need.words, need.advice]])] : []),
    ...status.map(({ about, text }) => property(about, [text])),
    ...(mayOperate ? [] : [property('Your role', ['It lets you read this, not change it'])]),
    ...(refused.length > 0
      ? [
          property(
            'Not possible now',
            refused.map(({ title, refusal }) => [title, refusal ?? ''] as const),
          ),
        ]
      : []),
    ...(timeline.length > 0
      ? [
          property(
            'Latest',
            timeline.slice(0, LATEST).map(({ at, text }) => [text, formatMoment(locale, at)] as const),
          ),
        ]
      : []),
  ];
  const possible = isBusy ? [] : operations.filter(({ refusal }) => refusal === null);
  const actions = possible.map((one) => ({
    type: 'action' as const,
    label: one.title,
    onPress: () => operation.open({ invoice: { id: data.id }, operation: one }),
  }));
  return { items, actions };
}

/** Nothing is sent before it is confirmed. */
function askBack(
  { operation: { title, will, button, asksUntil } }: Opened,
  { confirm, open, isBusy }: OperationInView,
): ModuleContents {
  const act = (label: string, extra: Record<string, string> = {}) => ({
    type: 'action' as const,
    label,
    onPress: () => void confirm(extra),
  });
  const postponed = POSTPONE_DAYS.map((days) =>
    act(`${button} for ${days} ${days === 1 ? 'day' : 'days'}`, { until: inDays(days) }),
  );
  const cancel = { type: 'action' as const, label: 'Cancel', onPress: () => open(undefined) };
  const question = isBusy ? 'One moment' : `${button}?`;
  return {
    items: [property(title, [[question, will ?? '']])],
    actions: isBusy ? [] : [...(asksUntil ? postponed : [act(button)]), cancel],
  };
}

export default InvoiceModule;
