/** @jsxRuntime automatic @jsxImportSource react */
/** How the key that this app hands out gets to the server. Stripe shows the key itself above, under View API keys. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Badge, Box, Inline, Link, List, ListItem, SettingsView } from '@stripe/ui-extension-sdk/ui';

const DOCS = 'https://github.com/stripe-payment-retry/stripe-payment-retry/blob/main/manifest/README.md';

const STEPS = [
  { title: 'Copy the key', text: 'Select View API keys on this page, and copy the secret that is shown.' },
  {
    title: 'Paste it',
    text: 'Run npx stripe-payment-retry init on your server, and paste the key when asked.',
  },
  { title: 'Check it', text: 'Run npx stripe-payment-retry doctor: it tries each permission of the key.' },
] as const;

const KeySettings = ({ environment: { mode } }: ExtensionContextValue) => (
  <SettingsView>
    <Box css={{ stack: 'y', gap: 'large' }}>
      <Box css={{ stack: 'x' }}>
        {mode === 'live' ? (
          <Badge type="info">Key for live payments</Badge>
        ) : (
          <Badge type="warning">Test key: no real money</Badge>
        )}
      </Box>
      <Inline>
        This app gives your Payment Retry server a key with only the permissions it uses. The app itself
        stores nothing and reads nothing.
      </Inline>
      <List>
        {STEPS.map(({ title, text }, index) => (
          <ListItem key={title} title={`${index + 1}. ${title}`} secondaryTitle={text} />
        ))}
      </List>
      <Inline>Uninstall the app to revoke the key.</Inline>
      <Link href={DOCS} external>
        Documentation
      </Link>
    </Box>
  </SettingsView>
);

export default KeySettings;
