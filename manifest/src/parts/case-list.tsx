/** @jsxRuntime automatic @jsxImportSource react */
/** Failed invoices, each a link to its page in the Dashboard. */
import { Badge, Link, List, ListItem } from '@stripe/ui-extension-sdk/ui';
import type { Case } from '../backend-data.ts';
import { formatMoment, formatMoney } from '../format.ts';
import { capitalize, toneOf } from '../words.ts';
import { Empty } from './page.tsx';

export function CaseList({ cases, locale }: { cases: readonly Case[]; locale: string }) {
  if (cases.length === 0) return <Empty>No failed payments are known.</Empty>;
  return (
    <List>
      {cases.map((one) => (
        <ListItem
          key={one.invoiceId}
          title={
            <InvoiceLink id={one.invoiceId}>{formatMoney(locale, one.amount, one.currency)}</InvoiceLink>
          }
          secondaryTitle={describeStep(one, locale)}
          value={<Badge type={toneOf(one.standing)}>{one.standing.label}</Badge>}
        />
      ))}
    </List>
  );
}

function describeStep({ next, nextAt, failedAt, why }: Case, locale: string): string {
  if (next !== null && nextAt !== null) return `${next}: ${formatMoment(locale, nextAt)}`;
  return [...(why === null ? [] : [why]), `failed ${formatMoment(locale, failedAt)}`]
    .map(capitalize)
    .join(' · ');
}

export function InvoiceLink({ id, children }: { id: string; children: string }) {
  return <Link href={{ name: 'invoiceDetails', params: { invoiceId: id } }}>{children}</Link>;
}
