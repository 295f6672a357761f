/** @jsxRuntime automatic @jsxImportSource react */
/** The account as a whole: sums by currency, and the invoices that need a person. */
import { Banner, Box, List, ListItem, PropertyList, PropertyListItem } from '@stripe/ui-extension-sdk/ui';
import type { Attention, Money, SumsAnswer } from '../backend-data.ts';
import { formatMoment, formatMoney } from '../format.ts';
import { InvoiceLink } from './case-list.tsx';
import { Empty, Heading } from './page.tsx';

/** Above everything that is planned. */
export function PauseBanner({ since, locale }: { since: string | null; locale: string }) {
  if (since === null) return null;
  return (
    <Banner
      type="caution"
      title="Recovery is paused"
      description={`Nothing is charged or sent since ${formatMoment(locale, since)}.`}
    />
  );
}

export function AccountSums({ data, locale }: { data: SumsAnswer; locale: string }) {
  return (
    <Box css={{ stack: 'y', gap: 'large' }}>
      {data.money.length === 0 && <Empty>No failed payments: nothing is at risk.</Empty>}
      {data.money.map((sum) => (
        <Sums key={sum.currency} sum={sum} data={data} locale={locale} />
      ))}
    </Box>
  );
}

function Sums({ sum, data, locale }: { sum: Money; data: SumsAnswer; locale: string }) {
  const show = (amount: number, invoices: number) =>
    `${formatMoney(locale, amount, sum.currency)} · ${invoices} ${invoices === 1 ? 'invoice' : 'invoices'}`;
  const notes = [
    ...(sum.recoveredGross === sum.recoveredAmount
      ? []
      : [`${formatMoney(locale, sum.recoveredGross, sum.currency)} before refunds and lost disputes`]),
    ...(sum.disputes === 0
      ? []
      : [
          `includes ${sum.disputes} open ${sum.disputes === 1 ? 'dispute' : 'disputes'}, ${formatMoney(locale, sum.disputed, sum.currency)}`,
        ]),
  ];
  const notesInWords = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return (
    <PropertyList>
      <PropertyListItem label="At risk now" value={show(sum.atRiskAmount, sum.atRiskInvoices)} />
      <PropertyListItem
        label={`Came back in ${data.recoveredDays} days`}
        value={`${show(sum.recoveredAmount, sum.recoveredInvoices)}${notesInWords}`}
      />
      <PropertyListItem
        label={`Due within ${data.dueDays} days`}
        value={show(sum.dueAmount, sum.dueInvoices)}
      />
    </PropertyList>
  );
}

/** Invoices that need a person, the latest failures first. */
export function AttentionList({ cases, locale }: { cases: readonly Attention[]; locale: string }) {
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Heading>Needs you</Heading>
      {cases.length === 0 ? (
        <Empty>No invoice needs you.</Empty>
      ) : (
        <List>
          {cases.map(({ invoiceId, customer, amount, currency, why }) => (
            <ListItem
              key={invoiceId}
              title={<InvoiceLink id={invoiceId}>{customer ?? invoiceId}</InvoiceLink>}
              secondaryTitle={why}
              value={formatMoney(locale, amount, currency)}
            />
          ))}
        </List>
      )}
    </Box>
  );
}
