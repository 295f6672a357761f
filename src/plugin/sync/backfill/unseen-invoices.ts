import type { Transaction } from '../../../core/database/database.ts';
import type { PageResult, PageRow } from '../../store/tables/backfill/backfill-pages.ts';
import { listUnseenInvoices, markInvoiceGone } from '../../store/tables/backfill/backfill-unseen.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import type { InvoiceRow } from '../../store/tables/sync/invoices.ts';
import type { SyncDeps } from '../events/event-step.ts';
import { createInvoiceMirror, readAlone, storeRows } from './mirror-pages.ts';
import { ContestedPageError, type PageReader, positionIn } from './read-page.ts';

const PAGE = 20;

/**
 * Reads invoices one by one that are open or drafts here and in no list of the run: too old for it, or settled or deleted since. The
 * range's position is an invoice's id here.
 */
export function createUnseenReader(deps: SyncDeps): PageReader {
  const mirror = createInvoiceMirror(deps);
  return async (run, range) => {
    const scope = { account: run.account, run: run.id };
    const ids = await listUnseenInvoices(deps.database, scope, { after: range.after, limit: PAGE });
    const rows = new Map<string, PageRow<InvoiceRow>>();
    const gone = new Map<string, Parameters<typeof markInvoiceGone>[1]>();
    const read = async (some: readonly string[]) => {
      for (const id of some) {
        rows.delete(id);
        gone.delete(id);
        const alone = await readAlone(deps, mirror, run, id);
        if (alone === undefined) continue;
        if ('row' in alone) rows.set(id, alone);
        else gone.set(id, { account: run.account, id, ...alone.gone });
      }
    };
    await read(ids);
    return {
      last: positionIn(ids, PAGE, range),
      size: ids.length,
      reread: read,
      store: async (tx) => {
        const results = await storeRows(tx, mirror, run, [...rows.values()]);
        for (const invoice of gone.values()) results.push(await storeGone(deps, tx, invoice));
        return results;
      },
    };
  };
}

export async function storeGone(
  { clock }: Pick<SyncDeps, 'clock'>,
  tx: Transaction,
  invoice: Parameters<typeof markInvoiceGone>[1],
): Promise<PageResult> {
  const { account, id } = invoice;
  if (!(await markInvoiceGone(tx, invoice))) throw new ContestedPageError([id]);
  const reason = { code: 'invoice_ended', status: 'deleted' } as const;
  await closeScheduledActions(tx, { account, invoiceIds: [id] }, reason, clock.now());
  return { id, verdict: 'repaired', isNews: false };
}
