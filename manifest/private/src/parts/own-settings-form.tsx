/** @jsxRuntime automatic @jsxImportSource react */
/** The settings of a connected account. An empty field changes nothing; a secret is never shown again. */
import {
  Banner,
  Box,
  Button,
  Inline,
  PropertyList,
  PropertyListItem,
  TextField,
} from '@stripe/ui-extension-sdk/ui';
import { useState } from 'react';
import type { OwnSettings } from '../answers.ts';
import { formatMoment } from '../format.ts';
import { Empty } from './page.tsx';

interface FormProps {
  readonly own: OwnSettings;
  readonly locale: string;
  readonly save: (settings: object) => Promise<void>;
}

export function OwnSettingsForm({ own, locale, save }: FormProps) {
  const [name, setName] = useState(own.businessEntity ?? '');
  const [key, setKey] = useState('');
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async (settings: object) => {
    setBusy(true);
    await save(settings);
    setBusy(false);
  };
  const credentials = {
    ...(key ? { retryServiceApiKey: key } : {}),
    ...(token ? { recoveryCallbackToken: token } : {}),
  };
  const settings = {
    businessEntity: name.trim() === '' ? null : name.trim(),
    ...(key || token ? { credentials } : {}),
  };
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Inline css={{ font: 'heading' }}>Settings of this account</Inline>
      <TextField
        label="Business name in emails"
        description="Leave it empty to use the name of the account."
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      {own.takesCredentials && (
        <>
          <PropertyList>
            <PropertyListItem label="Callback address" value={own.callbackUrl} />
          </PropertyList>
          <TextField
            label="Service key"
            type="password"
            autoComplete="off"
            description="The key of your own account at the retry service."
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
          <TextField
            label="Callback token"
            type="password"
            autoComplete="off"
            description="The token that the service calls back with, at least 24 characters. Two with a comma while you change it."
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        </>
      )}
      <Credentials own={own} locale={locale} isBusy={isBusy} remove={() => send({ credentials: null })} />
      <Box css={{ stack: 'x' }}>
        <Button type="primary" disabled={isBusy} onPress={() => void send(settings)}>
          Save
        </Button>
      </Box>
    </Box>
  );
}

interface CredentialsProps extends Pick<FormProps, 'own' | 'locale'> {
  readonly isBusy: boolean;
  readonly remove: () => Promise<void>;
}

function Credentials({
  own: { credentials, savedAt, takesCredentials },
  locale,
  isBusy,
  remove,
}: CredentialsProps) {
  const [isAsking, setIsAsking] = useState(false);
  if (credentials === 'none')
    return takesCredentials ? (
      <Empty>No service key and callback token of its own: those of the server are used.</Empty>
    ) : null;
  const words =
    credentials === 'set'
      ? `Service key and callback token: set, saved ${savedAt ? formatMoment(locale, savedAt) : ''}`
      : '';
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      {credentials === 'unreadable' ? (
        <Banner
          type="critical"
          title="The service key and callback token cannot be read"
          description="The server has lost the key that they were encrypted with. Nothing is sent or taken for this account. Enter both again."
        />
      ) : (
        <Inline>{words}</Inline>
      )}
      <Box css={{ stack: 'x', gap: 'small' }}>
        {isAsking ? (
          <>
            <Button type="destructive" disabled={isBusy} onPress={() => void remove()}>
              Use the server’s instead
            </Button>
            <Button onPress={() => setIsAsking(false)}>Keep</Button>
          </>
        ) : (
          <Button disabled={isBusy} onPress={() => setIsAsking(true)}>
            Remove key and token
          </Button>
        )}
      </Box>
    </Box>
  );
}
