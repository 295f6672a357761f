/** @jsxRuntime automatic @jsxImportSource react */
/** The frame of each view: test mode, loading, and why there is nothing to show. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Badge, Banner, Box, Button, Inline, Spinner } from '@stripe/ui-extension-sdk/ui';
import type { ReactNode } from 'react';
import type { Backend } from '../use-backend.ts';
import { explainTrouble } from '../words.ts';

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
      {(asked.state === 'failed' || asked.state === 'refused') && <Trouble asked={asked} reload={reload} />}
      {asked.state === 'answered' && children(asked.data)}
    </Box>
  );
}

interface TroubleProps {
  readonly asked: Parameters<typeof explainTrouble>[0];
  readonly reload: () => Promise<void>;
}

function Trouble({ asked, reload }: TroubleProps) {
  const { isFinal, ...banner } = explainTrouble(asked);
  return (
    <Banner
      {...banner}
      actions={isFinal ? undefined : <Button onPress={() => void reload()}>Try again</Button>}
    />
  );
}

/** Live mode is not marked. */
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
