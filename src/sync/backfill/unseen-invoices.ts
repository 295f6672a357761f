import type { PageRow } from '../../store/tables/backfill/backfill-pages.ts';
import { listUnseenInvoices, markInvoiceGone } from '../../store/tables/backfill/backfill-unseen.ts';
import { closeScheduledActions } from '../../store/tables/retry/actions.ts';
import type { InvoiceRow } from '../../store/tables/sync/invoices.ts';
import type { SyncDeps } from '../events/event-step.ts';
import { createInvoiceMirror, readAlone } from './mirror-pages.ts';
import { ContestedPageError, type PageReader, tallyPage } from './read-page.ts';

const PAGE = 20;

/**
 * The invoices that we hold as open or as drafts and that no list of the run showed so: older than its months, or
 * settled or deleted since. Each is read alone. The range's position is an invoice's id here.
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
    const last = ids.at(-1);
    return {
      last: ids.length === PAGE && last !== undefined ? { id: last, created: range.to } : undefined,
      reread: read,
      store: async (tx) => {
        const page = [...rows.values()];
        const results = await mirror.upsert(tx, run, page);
        for (const invoice of gone.values()) {
          if (!(await markInvoiceGone(tx, invoice))) throw new ContestedPageError([invoice.id]);
          results.push({ id: invoice.id, verdict: 'repaired', isNews: false });
        }
        const tally = tallyPage(ids.length, results);
        const all = page.map(({ row }) => row);
        const written = new Set(results.filter(({ verdict }) => verdict !== 'equal').map(({ id }) => id));
        await mirror.settle(
          tx,
          run,
          all,
          all.filter(({ id }) => written.has(id)),
        );
        const target = { account: run.account, invoiceIds: [...gone.keys()] };
        const reason = { code: 'invoice_ended', status: 'deleted' } as const;
        if (gone.size > 0) await closeScheduledActions(tx, target, reason, deps.clock.now());
        return tally;
      },
    };
  };
}
