/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Badge, Box, ContextView, Inline, List, ListItem } from '@stripe/ui-extension-sdk/ui';
import type { InvoiceAnswer, KnownInvoice } from '../backend-data.ts';
import { formatMoment, formatMoney } from '../format.ts';
import { InvoiceActions } from '../parts/invoice-actions.tsx';
import { Empty, Heading, Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';
import { STATES } from '../words.ts';

const InvoiceRecovery = (context: ExtensionContextValue) => {
  const backend = useBackend<InvoiceAnswer>(context, 'invoice', context.environment.objectContext?.id);
  return (
    <ContextView title="Payment recovery">
      <Page context={context} backend={backend}>
        {(data) =>
          data.isKnown ? (
            <Box css={{ stack: 'y', gap: 'large' }}>
              <Summary data={data} locale={context.userContext.locale} />
              <InvoiceActions key={data.id} context={context} data={data} reload={backend.reload} />
              <Timeline data={data} locale={context.userContext.locale} />
            </Box>
          ) : (
            <Empty>No payment of this invoice has failed, so there is nothing to recover.</Empty>
          )
        }
      </Page>
    </ContextView>
  );
};

function Summary({ data, locale }: { data: KnownInvoice; locale: string }) {
  const { label, tone, text } = STATES[data.state];
  const { amountRemaining, currency } = data.invoice;
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Box css={{ stack: 'x', gap: 'small', alignY: 'center' }}>
        <Inline css={{ font: 'title' }}>{formatMoney(locale, amountRemaining, currency)}</Inline>
        <Badge type={tone}>{label}</Badge>
      </Box>
      <Inline>{text}</Inline>
      {data.obstacles.map((obstacle) => (
        <Inline key={obstacle}>{obstacle}.</Inline>
      ))}
      {data.state === 'stripe_retries' && data.stripeTriesAt && (
        <Inline>{`Stripe's next try: ${formatMoment(locale, data.stripeTriesAt)}`}</Inline>
      )}
      {data.next.length > 0 && (
        <List>
          {data.next.map(({ what, at, why }) => (
            <ListItem
              key={`${what} ${at}`}
              title={what}
              secondaryTitle={why ?? undefined}
              value={formatMoment(locale, at)}
            />
          ))}
        </List>
      )}
    </Box>
  );
}

function Timeline({ data: { timeline }, locale }: { data: KnownInvoice; locale: string }) {
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Heading>Timeline</Heading>
      {timeline.length === 0 ? (
        <Empty>Nothing has happened yet.</Empty>
      ) : (
        <List>
          {timeline.map(({ at, what, text }) => (
            <ListItem
              key={`${at} ${what} ${text}`}
              title={text.charAt(0).toUpperCase() + text.slice(1)}
              secondaryTitle={formatMoment(locale, at)}
            />
          ))}
        </List>
      )}
    </Box>
  );
}

export default InvoiceRecovery;
