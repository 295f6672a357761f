/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Badge, Box, ContextView, List, ListItem } from '@stripe/ui-extension-sdk/ui';
import type { CardHealth, CustomerAnswer } from '../backend-data.ts';
import { formatMoment } from '../format.ts';
import { CaseList } from '../parts/case-list.tsx';
import { Empty, Heading, Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';
import { nameHealth, sentence } from '../words.ts';

const CustomerRecovery = (context: ExtensionContextValue) => {
  const { locale } = context.userContext;
  const backend = useBackend<CustomerAnswer>(context, 'customer', context.environment.objectContext?.id);
  return (
    <ContextView title="Payment recovery" description="Failed payments of this customer">
      <Page context={context} backend={backend}>
        {({ cases, cards, cardDays, mails }) => (
          <Box css={{ stack: 'y', gap: 'large' }}>
            <CaseList cases={cases} locale={locale} />
            <Cards cards={cards} days={cardDays} locale={locale} />
            <Mails mails={mails} locale={locale} />
          </Box>
        )}
      </Page>
    </ContextView>
  );
};

function Cards({ cards, days, locale }: { cards: readonly CardHealth[]; days: number; locale: string }) {
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Heading>Cards</Heading>
      {cards.length === 0 ? (
        <Empty>No card was charged yet.</Empty>
      ) : (
        <List>
          {cards.map((card) => {
            const { label, tone } = nameHealth(card.health);
            const name = [sentence(card.brand ?? 'card'), ...(card.last4 ? [`•••• ${card.last4}`] : [])].join(
              ' ',
            );
            const tries = `${card.attempts} ${card.attempts === 1 ? 'attempt' : 'attempts'} in ${days} days`;
            const last = `last ${formatMoment(locale, card.lastAt)}`;
            const reason = card.reason ? [sentence(card.reason)] : [];
            return (
              <ListItem
                key={`${name} ${card.lastAt}`}
                title={name}
                secondaryTitle={[...reason, tries, last].join(' · ')}
                value={<Badge type={tone}>{label}</Badge>}
              />
            );
          })}
        </List>
      )}
    </Box>
  );
}

function Mails({ mails, locale }: { mails: CustomerAnswer['mails']; locale: string }) {
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Heading>Mails</Heading>
      {mails.length === 0 ? (
        <Empty>No mail was sent yet.</Empty>
      ) : (
        <List>
          {mails.map(({ invoiceId, what, state, createdAt }) => (
            <ListItem
              key={`${invoiceId} ${what} ${createdAt}`}
              title={what}
              secondaryTitle={formatMoment(locale, createdAt)}
              value={sentence(state)}
            />
          ))}
        </List>
      )}
    </Box>
  );
}

export default CustomerRecovery;
