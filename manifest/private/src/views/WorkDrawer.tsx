/** @jsxRuntime automatic @jsxImportSource react */
/** The app's default view: what needs attention, and the outcome of failed payments. */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Banner, Box, ContextView } from '@stripe/ui-extension-sdk/ui';
import type { WorkAnswer } from '../answers.ts';
import { Confirmation } from '../parts/confirmation.tsx';
import { MonthSums, PauseBanner } from '../parts/month-sums.tsx';
import { Page } from '../parts/page.tsx';
import { WorkList } from '../parts/work-list.tsx';
import { useBackend } from '../use-backend.ts';
import { useOperation } from '../use-operation.ts';

const WorkDrawer = (context: ExtensionContextValue) => {
  const { locale } = context.userContext;
  const backend = useBackend<WorkAnswer>(context, 'work', null);
  const operation = useOperation(context, backend.reload);
  const { report, dismissReport } = operation;
  return (
    <ContextView title="Payment recovery">
      <Page context={context} backend={backend}>
        {(data) => (
          <Box css={{ stack: 'y', gap: 'xlarge' }}>
            <PauseBanner since={data.pausedSince} locale={locale} />
            {report && (
              <Banner
                type={report.isDone ? 'default' : 'caution'}
                title={report.text}
                onDismiss={dismissReport}
              />
            )}
            <WorkList
              causes={data.causes}
              locale={locale}
              operation={data.mayOperate ? operation : undefined}
            />
            <MonthSums data={data} locale={locale} />
          </Box>
        )}
      </Page>
      <Confirmation operation={operation} isTest={context.environment.mode === 'test'} />
    </ContextView>
  );
};

export default WorkDrawer;
