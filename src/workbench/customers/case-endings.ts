import { listCases } from '../../service/store/service-contents.ts';
import type { CustomerWorld } from './customer-world.ts';
import { ORGANIZATION } from './ledger.ts';
import type { Sentence } from './text/describe-audit.ts';
import { describeCaseReason } from './text/words.ts';

/** Ends that are nobody's giving up: other sentences cover them. */
const SETTLED: ReadonlySet<string> = new Set(['invoice_paid', 'invoice_not_unpaid', 'subscription_canceled']);

/** Reports each invoice that the service gives up, once. */
export function createEndingsReader({
  plugin,
  sandbox,
}: Pick<CustomerWorld, 'plugin' | 'sandbox'>): () => Promise<(Sentence & { invoiceId: string })[]> {
  const reported = new Set<string>();
  return async () => {
    const cases = await listCases(plugin.parts.database, ORGANIZATION);
    return cases.flatMap(({ invoiceId, state, reason }) => {
      if (state !== 'closed' || reason === null || SETTLED.has(reason) || reported.has(invoiceId)) return [];
      reported.add(invoiceId);
      // One that was written off is unpaid for the service: it goes on until its schedule ends.
      if (sandbox.state.invoices.get(invoiceId)?.status !== 'open') return [];
      return [
        { invoiceId, text: `the service gives up: ${describeCaseReason(reason)}`, tone: 'bad' as const },
      ];
    });
  };
}
