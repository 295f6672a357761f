/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { ContextView } from '@stripe/ui-extension-sdk/ui';
import type { SubscriptionAnswer } from '../backend-data.ts';
import { CaseList } from '../parts/case-list.tsx';
import { Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';

const SubscriptionRecovery = (context: ExtensionContextValue) => {
  const id = context.environment.objectContext?.id;
  const backend = useBackend<SubscriptionAnswer>(context, 'subscription', id);
  return (
    <ContextView title="Payment recovery" description="Failed payments of this subscription">
      <Page context={context} backend={backend}>
        {({ cases }) => <CaseList cases={cases} locale={context.userContext.locale} />}
      </Page>
    </ContextView>
  );
};

export default SubscriptionRecovery;
