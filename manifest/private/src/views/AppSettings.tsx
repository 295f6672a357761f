/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import {
  Banner,
  Box,
  Button,
  Inline,
  PropertyList,
  PropertyListItem,
  SettingsView,
} from '@stripe/ui-extension-sdk/ui';
import { useRefreshDashboardData } from '@stripe/ui-extension-sdk/utils/context.js';
import { useState } from 'react';
import type { ChangeAnswer, SettingsAnswer } from '../answers.ts';
import { askBackend } from '../ask-backend.ts';
import { formatMinute, formatMoment } from '../format.ts';
import { OwnSettingsForm } from '../parts/own-settings-form.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';
import { explainRefusal, MODES } from '../words.ts';

type Request = 'connect' | 'disconnect' | 'saveSettings';

const AppSettings = (context: ExtensionContextValue) => {
  const backend = useBackend<SettingsAnswer>(context, 'settings', null);
  const refreshDashboard = useRefreshDashboardData();
  const [status, setStatus] = useState('');
  const change = async (request: Request, parameters: object = {}) => {
    const reason = 'In the settings of the app';
    const answer = await askBackend<ChangeAnswer>(context, {
      request,
      parameters: { reason, ...parameters },
    });
    if (answer.state === 'answered') setStatus(answer.data.text);
    else if (answer.state === 'refused') setStatus(explainRefusal(answer.code, answer.message));
    else setStatus(`The server did not answer (${answer.message}). Reload to see.`);
    await backend.reload();
    if (answer.state === 'answered' && answer.data.outcome === 'changed') await refreshDashboard();
  };
  return (
    <SettingsView statusMessage={status}>
      <Page context={context} backend={backend}>
        {(data) => (
          <Box css={{ stack: 'y', gap: 'large' }}>
            <Facts data={data} context={context} />
            {data.own && data.mayConfigure && (
              <OwnSettingsForm
                // Clears the fields once they are saved: the server never sends a secret back.
                key={data.own.savedAt}
                own={data.own}
                locale={context.userContext.locale}
                save={(settings) => change('saveSettings', settings)}
              />
            )}
            <Connection data={data} locale={context.userContext.locale} change={change} />
          </Box>
        )}
      </Page>
    </SettingsView>
  );
};

function Facts({ data, context }: { data: SettingsAnswer; context: ExtensionContextValue }) {
  const { locale } = context.userContext;
  const { fromMinute, toMinute, timeZone } = data.emailWindow;
  const hours = `${formatMinute(locale, fromMinute)} to ${formatMinute(locale, toMinute)}`;
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <PropertyList>
        <PropertyListItem label="Account" value={data.accountId} />
        <PropertyListItem label="Stripe mode" value={context.environment.mode === 'live' ? 'Live' : 'Test'} />
        <PropertyListItem label="Server" value={data.server} />
        <PropertyListItem
          label="Retry service"
          value={data.service === 'embedded' ? 'On the server' : data.service}
        />
        <PropertyListItem label="How it works" value={MODES[data.mode] ?? data.mode} />
        <PropertyListItem
          label="Emails to customers"
          value={data.hasEmail ? `${hours}, customer's time (else ${timeZone})` : 'Not set up'}
        />
      </PropertyList>
      <Empty>The person who runs the server sets these.</Empty>
    </Box>
  );
}

interface ConnectionProps {
  readonly data: SettingsAnswer;
  readonly locale: string;
  readonly change: (request: Request) => Promise<void>;
}

function Connection({ data: { pause, mayConfigure }, locale, change }: ConnectionProps) {
  const [isAsking, setIsAsking] = useState(false);
  if (!mayConfigure) return <Empty>Only administrators can disconnect the account.</Empty>;
  if (pause)
    return (
      <Banner
        type="caution"
        title="Disconnected"
        description={`Nothing is charged, emailed or changed since ${formatMoment(locale, pause.since)}: ${pause.reason}`}
        actions={
          pause.isForAll ? undefined : <Button onPress={() => void change('connect')}>Connect again</Button>
        }
      />
    );
  if (!isAsking)
    return (
      <Box css={{ stack: 'x' }}>
        <Button type="destructive" onPress={() => setIsAsking(true)}>
          Disconnect
        </Button>
      </Box>
    );
  const disconnect = () => {
    setIsAsking(false);
    void change('disconnect');
  };
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Inline>
        Nothing will be charged, emailed or changed for this account until it is connected again. Uninstall
        the app to revoke its access, too.
      </Inline>
      <Box css={{ stack: 'x', gap: 'small' }}>
        <Button type="destructive" onPress={disconnect}>
          Disconnect now
        </Button>
        <Button onPress={() => setIsAsking(false)}>Cancel</Button>
      </Box>
    </Box>
  );
}

export default AppSettings;
