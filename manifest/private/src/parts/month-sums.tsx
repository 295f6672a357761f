/** @jsxRuntime automatic @jsxImportSource react */
/** The outcome of the failures of a month, and everything unpaid. The parts of a month add up to its failures. */
import { Banner, Box, PropertyList, PropertyListItem } from '@stripe/ui-extension-sdk/ui';
import type { MonthSum, Sum, WorkAnswer } from '../answers.ts';
import { formatMoment, formatMoney, formatMonth } from '../format.ts';
import { Empty, Heading } from './page.tsx';

/** Stands above everything that is planned. */
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

interface MonthSumsProps {
  readonly data: WorkAnswer;
  readonly locale: string;
}

export function MonthSums({ data: { months, unpaid, timeZone }, locale }: MonthSumsProps) {
  const isEmpty = unpaid.length === 0 && months.every(({ sums }) => sums.length === 0);
  if (isEmpty) return <Empty>No failed payments yet. When one fails, it appears here.</Empty>;
  return (
    <Box css={{ stack: 'y', gap: 'large' }}>
      {months.map(({ month, sums }) => (
        <Box key={month} css={{ stack: 'y', gap: 'small' }}>
          <Heading>{`First failed in ${formatMonth(locale, month)}`}</Heading>
          {sums.length === 0 && <Empty>No failed payments.</Empty>}
          {sums.map((sum) => (
            <Outcome key={sum.currency} sum={sum} locale={locale} />
          ))}
        </Box>
      ))}
      <Box css={{ stack: 'y', gap: 'small' }}>
        <Heading>In recovery, all months</Heading>
        <PropertyList>
          {unpaid.map(({ currency, ...sum }) => (
            <PropertyListItem
              key={currency}
              label={currency.toUpperCase()}
              value={showSum(locale, currency, sum)}
            />
          ))}
        </PropertyList>
        <Empty>{`Months use ${timeZone}. Refunds and lost disputes are excluded.`}</Empty>
      </Box>
    </Box>
  );
}

function Outcome({ sum, locale }: { sum: MonthSum; locale: string }) {
  const { currency, failed, recovered, inRecovery, lost } = sum;
  const rate = failed.amount === 0 ? 0 : recovered.amount / failed.amount;
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format(rate);
  return (
    <PropertyList>
      <PropertyListItem label="Failed" value={showSum(locale, currency, failed)} />
      <PropertyListItem label={`Recovered (${percent})`} value={showSum(locale, currency, recovered)} />
      <PropertyListItem label="In recovery" value={showSum(locale, currency, inRecovery)} />
      <PropertyListItem label="Lost" value={showSum(locale, currency, lost)} />
    </PropertyList>
  );
}

function showSum(locale: string, currency: string, { amount, invoices }: Sum): string {
  return `${formatMoney(locale, amount, currency)} · ${invoices} ${invoices === 1 ? 'invoice' : 'invoices'}`;
}
