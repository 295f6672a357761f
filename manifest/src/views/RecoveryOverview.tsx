/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Box, ContextView } from '@stripe/ui-extension-sdk/ui';
import type { OverviewAnswer } from '../backend-data.ts';
import { AccountSums, AttentionList, PauseBanner } from '../parts/overview.tsx';
import { Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';

const RecoveryOverview = (context: ExtensionContextValue) => {
  const { locale } = context.userContext;
  const backend = useBackend<OverviewAnswer>(context, 'overview', null);
  return (
    <ContextView title="Payment recovery">
      <Page context={context} backend={backend}>
        {(data) => (
          <Box css={{ stack: 'y', gap: 'large' }}>
            <PauseBanner since={data.pausedSince} locale={locale} />
            <AccountSums data={data} locale={locale} />
            <AttentionList cases={data.attention} locale={locale} />
          </Box>
        )}
      </Page>
    </ContextView>
  );
};

export default RecoveryOverview;
