/** @jsxRuntime automatic @jsxImportSource react */
/** One invoice: how its recovery stands, what comes next, what a person can do, and all that happened. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Badge, Banner, Box, Button, Inline, List, ListItem } from '@stripe/ui-extension-sdk/ui';
import type { KnownInvoice } from '../backend-data.ts';
import { formatMoment, formatMoney } from '../format.ts';
import { capitalize, STATES, toneOf } from '../words.ts';
import { useOperation } from './operation.tsx';
import { Empty, Heading } from './page.tsx';

interface PanelProps {
  readonly context: ExtensionContextValue;
  readonly data: KnownInvoice;
  readonly reload: () => Promise<void>;
}

export function InvoicePanel({ context, data, reload }: PanelProps) {
  const { locale } = context.userContext;
  return (
    <Box css={{ stack: 'y', gap: 'large' }}>
      <Summary data={data} locale={locale} />
      <Operations context={context} data={data} reload={reload} />
      <Timeline data={data} locale={locale} />
    </Box>
  );
}

function Summary({ data, locale }: { data: KnownInvoice; locale: string }) {
  const { label, tone, text } = STATES[data.state];
  const { amount, currency, customer, need, standing, stripeTriesAt, obstacles, next } = data;
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Box css={{ stack: 'x', gap: 'small', alignY: 'center' }}>
        <Inline css={{ font: 'title' }}>{formatMoney(locale, amount, currency)}</Inline>
        <Badge type={standing ? toneOf(standing) : tone}>{standing ? standing.label : label}</Badge>
      </Box>
      {customer && <Inline css={{ color: 'secondary' }}>{customer}</Inline>}
      {need ? (
        <Banner type="caution" title={need.words} description={need.advice} />
      ) : (
        <Inline>{text}</Inline>
      )}
      {obstacles.map((obstacle) => (
        <Inline key={obstacle}>{obstacle}.</Inline>
      ))}
      {data.state === 'stripe_retries' && stripeTriesAt && (
        <Inline>{`Stripe's next try: ${formatMoment(locale, stripeTriesAt)}`}</Inline>
      )}
      {next.length > 0 && (
        <List>
          {next.map(({ what, at, why }) => (
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

function Operations({ context, data, reload }: PanelProps) {
  const { open, told, confirmation } = useOperation(context, reload);
  const { id, state, mayOperate, operations } = data;
  if (!mayOperate && state !== 'paid' && state !== 'over')
    return <Empty>Your role in Stripe lets you read this. Administrators and analysts can change it.</Empty>;
  const first = operations.find(({ refusal }) => refusal === null);
  const refused = operations.filter(({ refusal }) => refusal !== null);
  return (
    <Box css={{ stack: 'y', gap: 'medium' }}>
      {told}
      <Box css={{ stack: 'x', gap: 'small', wrap: 'wrap' }}>
        {operations.map((operation) => (
          <Button
            key={operation.title}
            type={operation.isDangerous ? 'destructive' : operation === first ? 'primary' : 'secondary'}
            disabled={operation.refusal !== null}
            onPress={() => open({ invoice: { id }, operation })}
          >
            {operation.title}
          </Button>
        ))}
      </Box>
      {refused.map(({ title, refusal }) => (
        <Empty key={title}>{`${title}: ${refusal}`}</Empty>
      ))}
      {confirmation}
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
              title={capitalize(text)}
              secondaryTitle={formatMoment(locale, at)}
            />
          ))}
        </List>
      )}
    </Box>
  );
}
