/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Box, Button, List, ListItem, OnboardingView } from '@stripe/ui-extension-sdk/ui';
import type { Check, OnboardingAnswer } from '../backend-data.ts';
import { Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';
import { nameCheck } from '../words.ts';

const STATUS = { ok: 'complete', waiting: 'in-progress', missing: 'not-started', failed: 'blocked' } as const;

const Onboarding = (context: ExtensionContextValue) => {
  const backend = useBackend<OnboardingAnswer>(context, 'onboarding', null);
  const { asked, reload } = backend;
  const checks = asked.state === 'answered' ? asked.data.checks : [];
  const open = checks.filter(({ state }) => state !== 'ok');
  return (
    <OnboardingView
      title="Set up payment recovery"
      description="What your Payment Retry server has, and what it still needs"
      pending={asked.state === 'loading'}
      completed={checks.length > 0 && open.length === 0}
      tasks={checks.map(({ code, state }) => ({ title: nameCheck(code).title, status: STATUS[state] }))}
    >
      <Page context={context} backend={backend}>
        {() => <Todo open={open} reload={reload} />}
      </Page>
    </OnboardingView>
  );
};

function Todo({ open, reload }: { open: readonly Check[]; reload: () => Promise<void> }) {
  return (
    <Box css={{ stack: 'y', gap: 'medium' }}>
      {open.length > 0 && (
        <List>
          {open.map(({ code }) => (
            <ListItem key={code} title={nameCheck(code).title} secondaryTitle={nameCheck(code).todo} />
          ))}
        </List>
      )}
      <Box css={{ stack: 'x' }}>
        <Button onPress={() => void reload()}>Check again</Button>
      </Box>
    </Box>
  );
}

export default Onboarding;
