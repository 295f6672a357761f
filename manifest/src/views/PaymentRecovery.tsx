/** @jsxRuntime automatic @jsxImportSource react */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { Box, ContextView } from '@stripe/ui-extension-sdk/ui';
import type { InvoiceAnswer } from '../backend-data.ts';
import { InvoiceLink } from '../parts/case-list.tsx';
import { InvoicePanel } from '../parts/invoice-panel.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { useBackend } from '../use-backend.ts';

/** Where a decline is looked at: what is done about it hangs on the invoice that was to be paid. */
const PaymentRecovery = (context: ExtensionContextValue) => {
  const backend = useBackend<InvoiceAnswer>(context, 'payment', context.environment.objectContext?.id);
  return (
    <ContextView title="Payment recovery" description="The invoice that this payment is for">
      <Page context={context} backend={backend}>
        {(data) =>
          data.isKnown ? (
            <Box css={{ stack: 'y', gap: 'medium' }}>
              <InvoiceLink id={data.id}>Open the invoice</InvoiceLink>
              <InvoicePanel key={data.id} context={context} data={data} reload={backend.reload} />
            </Box>
          ) : (
            <Empty>This payment has not failed, or is for no invoice: there is nothing to recover.</Empty>
          )
        }
      </Page>
    </ContextView>
  );
};

export default PaymentRecovery;
