/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import {
  Banner,
  Box,
  ContextView,
  List,
  ListItem,
  PropertyList,
  PropertyListItem,
} from '@stripe/ui-extension-sdk/ui';
import type { Money, OverviewAnswer } from '../backend-data.ts';
import { formatMoment, formatMoney } from '../format.ts';
import { InvoiceLink } from '../parts/case-list.tsx';
import { Empty, Heading, Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';

const RecoveryOverview = (context: ExtensionContextValue) => {
  const { locale } = context.userContext;
  const backend = useBackend<OverviewAnswer>(context, 'overview', null);
  return (
    <ContextView title="Payment recovery">
      <Page context={context} backend={backend}>
        {(data) => (
          <Box css={{ stack: 'y', gap: 'large' }}>
            {data.pausedSince && (
              <Banner
                type="caution"
                title="Recovery is paused"
                description={`Nothing is charged or sent since ${formatMoment(locale, data.pausedSince)}.`}
              />
            )}
            {data.money.length === 0 && <Empty>No failed payments: nothing is at risk.</Empty>}
            {data.money.map((sum) => (
              <Sums key={sum.currency} sum={sum} data={data} locale={locale} />
            ))}
            <Attention ids={data.needsDecision} />
          </Box>
        )}
      </Page>
    </ContextView>
  );
};

function Sums({ sum, data, locale }: { sum: Money; data: OverviewAnswer; locale: string }) {
  const show = (amount: number, invoices: number) =>
    `${formatMoney(locale, amount, sum.currency)} · ${invoices} ${invoices === 1 ? 'invoice' : 'invoices'}`;
  const before =
    sum.recoveredGross === sum.recoveredAmount
      ? ''
      : ` (${formatMoney(locale, sum.recoveredGross, sum.currency)} before refunds and disputes)`;
  return (
    <PropertyList>
      <PropertyListItem label="At risk now" value={show(sum.atRiskAmount, sum.atRiskInvoices)} />
      <PropertyListItem
        label={`Came back in ${data.recoveredDays} days`}
        value={`${show(sum.recoveredAmount, sum.recoveredInvoices)}${before}`}
      />
      <PropertyListItem
        label={`Due within ${data.dueDays} days`}
        value={show(sum.dueAmount, sum.dueInvoices)}
      />
    </PropertyList>
  );
}

function Attention({ ids }: { ids: readonly string[] }) {
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Heading>Needs you</Heading>
      {ids.length === 0 ? (
        <Empty>Nothing waits for your decision.</Empty>
      ) : (
        <List>
          {ids.map((id) => (
            <ListItem
              key={id}
              title={<InvoiceLink id={id}>{id}</InvoiceLink>}
              secondaryTitle="A payment waits for your decision"
            />
          ))}
        </List>
      )}
    </Box>
  );
}

export default RecoveryOverview;
