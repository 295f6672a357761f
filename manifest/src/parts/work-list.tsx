/** @jsxRuntime automatic @jsxImportSource react */
/** What needs a person, by cause, each invoice with the one thing that helps. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Box, Button, Inline, Link, List, ListItem } from '@stripe/ui-extension-sdk/ui';
import type { Attention, Cause, WorkListAnswer } from '../backend-data.ts';
import { formatMoney } from '../format.ts';
import { InvoiceLink } from './case-list.tsx';
import { type OperationInView, useOperation } from './operation.tsx';
import { Empty, Heading } from './page.tsx';

interface WorkListProps {
  readonly context: ExtensionContextValue;
  readonly data: WorkListAnswer;
  readonly reload: () => Promise<void>;
}

export function WorkList({ context, data: { causes, mayOperate }, reload }: WorkListProps) {
  const operation = useOperation(context, reload);
  const { locale } = context.userContext;
  return (
    <Box css={{ stack: 'y', gap: 'xlarge' }}>
      {operation.told}
      {causes.length === 0 && <Empty>No invoice needs you.</Empty>}
      {causes.map((cause) => (
        <OfCause
          key={cause.code}
          cause={cause}
          locale={locale}
          operation={mayOperate ? operation : undefined}
        />
      ))}
      {operation.confirmation}
    </Box>
  );
}

interface OfCauseProps {
  readonly cause: Cause;
  readonly locale: string;
  /** Undefined for who may only read. */
  readonly operation: OperationInView | undefined;
}

function OfCause({ cause, locale, operation }: OfCauseProps) {
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
                <Help cause={cause} invoice={invoice} operation={operation} locale={locale} />
              </Box>
            }
          />
        ))}
      </List>
      {rest > 0 && <Empty>{`… and ${rest} more, whose payments failed earlier`}</Empty>}
    </Box>
  );
}

interface HelpProps extends OfCauseProps {
  readonly invoice: Attention;
}

function Help({ cause: { title, inStripe }, invoice, locale, operation }: HelpProps) {
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
