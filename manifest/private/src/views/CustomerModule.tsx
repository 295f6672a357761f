/** @jsxRuntime automatic @jsxImportSource react */
/** Inside the page of a customer: unpaid invoices, when access ends, the cards, and the emails. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import type { CustomerAnswer, ShownCard, UnpaidInvoice } from '../answers.ts';
import { formatMoment, formatMoney } from '../format.ts';
import { Module, type ModuleContents, property } from '../parts/module.tsx';
import { useBackend } from '../use-backend.ts';
import { nameHealth, sentence } from '../words.ts';

const CustomerModule = (context: ExtensionContextValue) => {
  const { locale } = context.userContext;
  const backend = useBackend<CustomerAnswer>(context, 'customer', context.environment.objectContext?.id);
  return (
    <Module context={context} backend={backend} empty="No payment of this customer has failed.">
      {(data) => showCustomer(data, locale)}
    </Module>
  );
};

function showCustomer(data: CustomerAnswer, locale: string): ModuleContents {
  const { isKnown, invoices, cards, cardDays, emails } = data;
  if (!isKnown) return { items: [], actions: [] };
  const items = [
    property('Recovery', [[data.standing ?? '', data.isPaused ? 'Paused: nothing is charged or sent' : '']]),
    ...(data.access ? [property('Access', [data.access])] : []),
    ...(data.controlGroup ? [property('Control group', [data.controlGroup])] : []),
    ...(invoices.length > 0
      ? [
          property(
            'Unpaid invoices',
            invoices.map((one) => describeInvoice(one, locale)),
          ),
        ]
      : []),
    ...(cards.length > 0
      ? [
          property(
            'Cards',
            cards.map((card) => describeCard(card, cardDays, locale)),
          ),
        ]
      : []),
    ...(emails.length > 0
      ? [
          property(
            'Emails',
            emails.map(
              ({ what, state, createdAt }) =>
                [what, `${sentence(state)}, ${formatMoment(locale, createdAt)}`] as const,
            ),
          ),
        ]
      : []),
  ];
  const actions = invoices.map(({ invoice, amount, currency }) => ({
    type: 'link' as const,
    label: `Open ${formatMoney(locale, amount, currency)} invoice`,
    href: { name: 'invoiceDetails' as const, params: { invoiceId: invoice } },
  }));
  return { items, actions };
}

function describeInvoice(
  { amount, currency, plan, failedAt, attempts, next }: UnpaidInvoice,
  locale: string,
): readonly [string, string] {
  const tried = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} since ${formatMoment(locale, failedAt)}`;
  const planned = next === null ? 'no action scheduled' : `${next.what} on ${formatMoment(locale, next.at)}`;
  const title = [formatMoney(locale, amount, currency), ...(plan === null ? [] : [plan])].join(' · ');
  return [title, `${sentence(planned)}; ${tried}`];
}

function describeCard(card: ShownCard, days: number, locale: string): readonly [string, string] {
  const name = [sentence(card.brand ?? 'card'), ...(card.last4 ? [`•••• ${card.last4}`] : [])].join(' ');
  const tries = `${card.attempts} ${card.attempts === 1 ? 'attempt' : 'attempts'} in ${days} days`;
  const reason = card.reason ? [sentence(card.reason)] : [];
  return [
    `${name} · ${nameHealth(card.health)}`,
    [...reason, tries, `last ${formatMoment(locale, card.lastAt)}`].join(' · '),
  ];
}

export default CustomerModule;
