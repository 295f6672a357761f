/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Box, Button, List, ListItem, OnboardingView } from '@stripe/ui-extension-sdk/ui';
import type { OnboardingAnswer, ShownCheck } from '../answers.ts';
import { Heading, Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';

/** Only a problem blocks recovery. */
const isRequired = ({ state }: ShownCheck) => state === 'ok' || state === 'problem';

const Onboarding = (context: ExtensionContextValue) => {
  const backend = useBackend<OnboardingAnswer>(context, 'onboarding', null);
  const { asked, reload } = backend;
  const checks = asked.state === 'answered' ? asked.data.checks : [];
  const required = checks.filter(isRequired);
  return (
    <OnboardingView
      title="Set up payment recovery"
      description="The checks of your Payment Retry server"
      pending={asked.state === 'loading'}
      completed={required.length > 0 && required.every(({ state }) => state === 'ok')}
      tasks={required.map(({ title, state }) => ({ title, status: state === 'ok' ? 'complete' : 'blocked' }))}
    >
      <Page context={context} backend={backend}>
        {() => (
          <Box css={{ stack: 'y', gap: 'large' }}>
            <Checks title="To fix" checks={required.filter(({ state }) => state === 'problem')} />
            <Checks title="Optional" checks={checks.filter((one) => !isRequired(one))} />
            <Box css={{ stack: 'x' }}>
              <Button onPress={() => void reload()}>Check again</Button>
            </Box>
          </Box>
        )}
      </Page>
    </OnboardingView>
  );
};

function Checks({ title: heading, checks }: { title: string; checks: readonly ShownCheck[] }) {
  if (checks.length === 0) return null;
  return (
    <Box css={{ stack: 'y', gap: 'small' }}>
      <Heading>{heading}</Heading>
      <List>
        {checks.map(({ code, title, detail, remedy }) => (
          <ListItem
            key={`${code} ${detail}`}
            title={detail ? `${title}: ${detail}` : title}
            secondaryTitle={(remedy ?? '').replace(/`([^`]+)`/g, '“$1”')}
          />
        ))}
      </List>
    </Box>
  );
}

export default Onboarding;
