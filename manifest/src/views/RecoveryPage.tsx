/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Box, FullPageView } from '@stripe/ui-extension-sdk/ui';
import type { OverviewAnswer } from '../backend-data.ts';
import { Standing, WorkList } from '../parts/overview.tsx';
import { Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';

/** A page of the Dashboard for whoever works through failed payments. */
const RecoveryPage = (context: ExtensionContextValue) => {
  const { locale } = context.userContext;
  const backend = useBackend<OverviewAnswer>(context, 'worklist', null);
  return (
    <FullPageView pageAction={{ label: 'Reload', onPress: () => void backend.reload() }}>
      <Page context={context} backend={backend}>
        {(data) => (
          <Box css={{ stack: 'y', gap: 'xlarge' }}>
            <Standing data={data} locale={locale} />
            <WorkList title="Work list" cases={data.attention} locale={locale} />
          </Box>
        )}
      </Page>
    </FullPageView>
  );
};

export default RecoveryPage;
