/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Box, FullPageView, Tab, TabList, TabPanel, TabPanels, Tabs } from '@stripe/ui-extension-sdk/ui';
import { useState } from 'react';
import type { WorkListAnswer } from '../backend-data.ts';
import { AccountSums, PauseBanner } from '../parts/overview.tsx';
import { Page } from '../parts/page.tsx';
import { WorkList } from '../parts/work-list.tsx';
import { useBackend } from '../use-backend.ts';

/** A page of the Dashboard for whoever works through failed payments. */
const RecoveryPage = (context: ExtensionContextValue) => {
  const backend = useBackend<WorkListAnswer>(context, 'worklist', null);
  const { locale } = context.userContext;
  const [tab, setTab] = useState('worklist');
  return (
    <FullPageView pageAction={{ label: 'Reload', onPress: () => void backend.reload() }}>
      <Page context={context} backend={backend}>
        {(data) => (
          <Box css={{ stack: 'y', gap: 'large' }}>
            <PauseBanner since={data.pausedSince} locale={locale} />
            <Tabs selectedKey={tab} onSelectionChange={setTab}>
              <TabList>
                <Tab id="worklist">Work list</Tab>
                <Tab id="overview">Overview</Tab>
              </TabList>
              <TabPanels>
                <TabPanel id="worklist">
                  <WorkList context={context} data={data} reload={backend.reload} />
                </TabPanel>
                <TabPanel id="overview">
                  <AccountSums data={data} locale={locale} />
                </TabPanel>
              </TabPanels>
            </Tabs>
          </Box>
        )}
      </Page>
    </FullPageView>
  );
};

export default RecoveryPage;
