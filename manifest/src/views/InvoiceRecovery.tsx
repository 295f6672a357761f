/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { ContextView } from '@stripe/ui-extension-sdk/ui';
import type { InvoiceAnswer } from '../backend-data.ts';
import { InvoicePanel } from '../parts/invoice-panel.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';

const InvoiceRecovery = (context: ExtensionContextValue) => {
  const backend = useBackend<InvoiceAnswer>(context, 'invoice', context.environment.objectContext?.id);
  return (
    <ContextView title="Payment recovery">
      <Page context={context} backend={backend}>
        {(data) =>
          data.isKnown ? (
            <InvoicePanel key={data.id} context={context} data={data} reload={backend.reload} />
          ) : (
            <Empty>No payment of this invoice has failed, so there is nothing to recover.</Empty>
          )
        }
      </Page>
    </ContextView>
  );
};

export default InvoiceRecovery;
