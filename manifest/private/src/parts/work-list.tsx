/** @jsxRuntime automatic @jsxImportSource react */
/** Invoices that need attention, by cause, each with its next step. */
import { Box, Button, Inline, Link, List, ListItem } from '@stripe/ui-extension-sdk/ui';
import type { AttentionInvoice, Cause } from '../answers.ts';
import { formatMoney } from '../format.ts';
import type { OperationInView } from '../use-operation.ts';
import { Empty, Heading } from './page.tsx';

interface WorkListProps {
  readonly causes: readonly Cause[];
  readonly locale: string;
  /** Undefined for a person who may only read. */
  readonly operation: OperationInView | undefined;
}

export function WorkList({ causes, locale, operation }: WorkListProps) {
  if (causes.length === 0) return <Empty>No invoices need attention.</Empty>;
  return (
    <Box css={{ stack: 'y', gap: 'xlarge' }}>
      {causes.map((cause) => (
        <InvoicesOfCause key={cause.code} cause={cause} locale={locale} operation={operation} />
      ))}
    </Box>
  );
}

interface CauseProps extends Omit<WorkListProps, 'causes'> {
  readonly cause: Cause;
}

function InvoicesOfCause({ cause, locale, operation }: CauseProps) {
  const { words, advice, count, money, invoices } = cause;
  const sums = money.map(({ amount, currency }) => formatMoney(locale, amount, currency)).join(' + ');
  const rest = count - invoices.length;
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Heading>{`${words} · ${count} ${count === 1 ? 'invoice' : 'invoices'}, ${sums}`}</Heading>
      <Empty>{advice}</Empty>
      <List>
        {invoices.map((invoice) => (
          <ListItem
            key={invoice.invoiceId}
            title={<InvoiceLink id={invoice.invoiceId}>{invoice.customer ?? invoice.invoiceId}</InvoiceLink>}
            secondaryTitle={invoice.customer === null ? undefined : invoice.invoiceId}
            value={
              <Box css={{ stack: 'x', gap: 'medium', alignY: 'center' }}>
                <Inline>{formatMoney(locale, invoice.amount, invoice.currency)}</Inline>
                <NextStep cause={cause} invoice={invoice} operation={operation} locale={locale} />
              </Box>
            }
          />
        ))}
      </List>
      {rest > 0 && <Empty>{`… and ${rest} more, whose payments failed earlier`}</Empty>}
    </Box>
  );
}

interface NextStepProps extends CauseProps {
  readonly invoice: AttentionInvoice;
}

function NextStep({ cause: { title, inStripe }, invoice, locale, operation }: NextStepProps) {
  const { invoiceId: id, customerId, customer, amount, currency } = invoice;
  if (inStripe === 'customers' && customerId !== null)
    return <Link href={{ name: 'customerDetails', params: { customerId } }}>{title}</Link>;
  if (inStripe !== null) return <InvoiceLink id={id}>{title}</InvoiceLink>;
  if (invoice.waitUntil !== null) return <Inline>Emailed: wait for an answer</Inline>;
  if (operation === undefined) return null;
  const about = `${customer ?? id}, ${formatMoney(locale, amount, currency)}`;
  return (
    <Button disabled={operation.isBusy} onPress={() => void operation.find({ id, about }, title)}>
      {title}
    </Button>
  );
}

function InvoiceLink({ id, children }: { id: string; children: string }) {
  return <Link href={{ name: 'invoiceDetails', params: { invoiceId: id } }}>{children}</Link>;
}
