import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { BackfillRun } from '../../store/tables/backfill/backfill-runs.ts';
import { listUnchargedInvoices } from '../../store/tables/backfill/backfill-unseen.ts';
import type { ChargeRecord } from '../../store/tables/sync/charge-records.ts';
import type { SyncDeps } from '../events/event-step.ts';
import { isLeftToSignUp } from '../events/left-to-sign-up.ts';
import { toUnchargedRecord } from '../events/record-failure.ts';
import { readUnchargedFailure } from '../events/uncharged-failure.ts';
import { storeCharges } from './charge-pages.ts';
import { type PageReader, positionIn } from './read-page.ts';

const PAGE = 20;

/** Reads open invoices that failed without a charge one by one: no list shows the attempt. The range's position is an invoice's id here. */
export function createUnchargedReader(deps: SyncDeps): PageReader {
  return async (run, range) => {
    const { account } = run;
    const ids = await listUnchargedInvoices(deps.database, account, { after: range.after, limit: PAGE });
    const records: ChargeRecord[] = [];
    for (const id of ids) records.push(...(await readAttempt(deps, run, id)));
    return {
      last: positionIn(ids, PAGE, range),
      size: records.length,
      store: (tx) => storeCharges(tx, { account, run: run.id }, { records }),
    };
  };
}

async function readAttempt(
  deps: SyncDeps,
  { account, perSecond }: BackfillRun,
  id: string,
): Promise<ChargeRecord[]> {
  const version = deps.clock.now();
  const invoice = await deps.stripe.atPace('invoice', perSecond, () =>
    deps.stripe.findPayableInvoice(account, id),
  );
  const charges = await deps.stripe.atPace('invoice', perSecond, () => deps.stripe.listCharges(account, id));
  const failure = invoice && readUnchargedFailure(invoice, charges);
  if (!failure) return [];
  const isForwarded = deps.config.forward.transactions && !(await isLeftToSignUp(deps, account, invoice));
  return [toUnchargedRecord({ account, invoice, failure, failedAt: startOf(invoice), version, isForwarded })];
}

/** Stripe does not report the time: the first attempt follows the finalization. */
function startOf({ status_transitions, created }: Stripe.Invoice): DateTime {
  return fromUnixSeconds(status_transitions.finalized_at ?? created);
}
