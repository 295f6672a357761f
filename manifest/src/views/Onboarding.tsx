/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Box, Button, List, ListItem, OnboardingView } from '@stripe/ui-extension-sdk/ui';
import type { Check, OnboardingAnswer } from '../backend-data.ts';
import { Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';

const STATUS = {
  ok: 'complete',
  waiting: 'in-progress',
  warning: 'not-started',
  problem: 'blocked',
  unknown: 'in-progress',
  look: 'not-started',
} as const;

const Onboarding = (context: ExtensionContextValue) => {
  const backend = useBackend<OnboardingAnswer>(context, 'onboarding', null);
  const { asked, reload } = backend;
  const checks = asked.state === 'answered' ? asked.data.checks : [];
  const open = checks.filter(({ state }) => state !== 'ok');
  // What only a person can see is never known to be done.
  const tasks = checks.filter(({ state }) => state !== 'look');
  return (
    <OnboardingView
      title="Set up payment recovery"
      description="What your Payment Retry server has, and what it still needs"
      pending={asked.state === 'loading'}
      completed={tasks.length > 0 && tasks.every(({ state }) => state === 'ok')}
      tasks={tasks.map(({ title, state }) => ({ title, status: STATUS[state] }))}
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
          {open.map(({ code, title, detail, remedy }) => (
            <ListItem
              key={`${code} ${detail}`}
              title={detail ? `${title}: ${detail}` : title}
              secondaryTitle={remedy ?? ''}
            />
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
