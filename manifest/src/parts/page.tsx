/** @jsxRuntime automatic @jsxImportSource react */
/** What every view shows around its contents: test mode, loading, and why there is nothing to show. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Badge, Banner, Box, Button, Inline, Spinner } from '@stripe/ui-extension-sdk/ui';
import type { ReactNode } from 'react';
import type { Backend } from '../use-backend.ts';
import { explainRefusal, isMatterOfPermission } from '../words.ts';

export interface PageProps<Data> {
  readonly context: ExtensionContextValue;
  readonly backend: Backend<Data>;
  readonly children: (data: Data) => ReactNode;
}

export function Page<Data>({ context, backend: { asked, reload }, children }: PageProps<Data>) {
  return (
    <Box css={{ stack: 'y', gap: 'large' }}>
      <ModeBadge mode={context.environment.mode} />
      {asked.state === 'loading' && (
        <Box css={{ stack: 'x', alignX: 'center', padding: 'xlarge' }}>
          <Spinner size="large" />
        </Box>
      )}
      {asked.state === 'failed' && (
        <Banner
          type="critical"
          title={
            asked.isForbidden
              ? 'The app may not reach your Payment Retry server'
              : 'Your Payment Retry server cannot be reached'
          }
          description={
            asked.isForbidden
              ? "The server's address has changed since the app was installed. An administrator has to review and accept the app's permissions again (Settings, Installed apps)."
              : `Check that it is running and reachable over HTTPS. (${asked.message})`
          }
          actions={<Button onPress={() => void reload()}>Try again</Button>}
        />
      )}
      {asked.state === 'refused' && <Refusal code={asked.code} message={asked.message} reload={reload} />}
      {asked.state === 'answered' && children(asked.data)}
    </Box>
  );
}

function Refusal({ code, message, reload }: { code: string; message: string; reload: () => Promise<void> }) {
  const isFinal = isMatterOfPermission(code);
  return (
    <Banner
      type="caution"
      title={isFinal ? 'You do not have access' : 'There is nothing to show'}
      description={explainRefusal(code, message)}
      actions={isFinal ? undefined : <Button onPress={() => void reload()}>Try again</Button>}
    />
  );
}

/** Live mode is not marked: it is what everything is about. */
function ModeBadge({ mode }: { mode: 'live' | 'test' }) {
  if (mode === 'live') return null;
  return (
    <Box css={{ stack: 'x' }}>
      <Badge type="warning">Test mode: no real money</Badge>
    </Box>
  );
}

export function Heading({ children }: { children: ReactNode }) {
  return <Inline css={{ font: 'heading' }}>{children}</Inline>;
}

export function Empty({ children }: { children: ReactNode }) {
  return <Inline css={{ color: 'secondary' }}>{children}</Inline>;
}
