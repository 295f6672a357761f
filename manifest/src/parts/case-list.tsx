/** @jsxRuntime automatic @jsxImportSource react */
/** Failed invoices, each a link to its page in the Dashboard. */
import { Badge, Link, List, ListItem } from '@stripe/ui-extension-sdk/ui';
import type { Case } from '../backend-data.ts';
import { formatMoment, formatMoney } from '../format.ts';
import { CASE_STATES } from '../words.ts';
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
          value={<CaseBadge state={one.state} />}
        />
      ))}
    </List>
  );
}

function describeStep({ next, nextAt, failedAt, state }: Case, locale: string): string {
  if (next !== null && nextAt !== null) return `${next}: ${formatMoment(locale, nextAt)}`;
  const failed = `Failed ${formatMoment(locale, failedAt)}`;
  return state === 'waiting' ? `${failed}; nothing is planned` : failed;
}

function CaseBadge({ state }: { state: string }) {
  const { label, tone } = CASE_STATES[state] ?? { label: state, tone: 'neutral' as const };
  return <Badge type={tone}>{label}</Badge>;
}

export function InvoiceLink({ id, children }: { id: string; children: string }) {
  return <Link href={{ name: 'invoiceDetails', params: { invoiceId: id } }}>{children}</Link>;
}
