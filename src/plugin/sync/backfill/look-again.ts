/**
 * Compares Stripe's objects with the stored ones by storing them and rolling back. Differences are checked again alone, minutes
 * later, when the event of a recent change has arrived.
 */
import type { DateTime } from 'luxon';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { Transaction } from '../../../core/database/database.ts';
import { listKinds } from '../../actions/action-kinds.ts';
import type { PageResult } from '../../store/tables/backfill/backfill-pages.ts';
import type { BackfillList, BackfillRun } from '../../store/tables/backfill/backfill-runs.ts';
import {
  concludeDrift,
  type Difference,
  type Drift,
  type DriftKind,
  findOwnDifference,
  findOwnDrifts,
  findPaidCharge,
  listUnconfirmed,
  readMirrored,
  recordDrifts,
  takenBack,
} from '../../store/tables/backfill/drifts.ts';
import type { SyncDeps } from '../events/event-step.ts';
import { readCharges, storeCharges } from './charge-pages.ts';
import {
  createInvoiceMirror,
  createSubscriptionMirror,
  type Mirror,
  readAlone,
  storeRows,
} from './mirror-pages.ts';
import type { PageReader, ReadPage } from './read-page.ts';
import { storeGone } from './unseen-invoices.ts';

/** Lists whose objects a verification compares. */
const COMPARED: Readonly<Partial<Record<BackfillList, DriftKind>>> = {
  subscriptions: 'subscriptions',
  invoices: 'invoices',
  unseen_invoices: 'invoices',
  invoice_payments: 'charges',
  charges: 'charges',
};

/** Ignores rows stored after the page was read. */
export async function storeOrCompare(
  page: ReadPage,
  { run, list, now }: { run: BackfillRun; list: BackfillList; now: DateTime },
  tx: Transaction,
): Promise<PageResult[]> {
  const kind = COMPARED[list];
  if (run.kind !== 'verification' || kind === undefined) return page.store(tx);
  const results = await takenBack(tx, () => page.store(tx));
  const ids = results.filter(({ verdict }) => verdict !== 'equal').map(({ id }) => id);
  await recordDrifts(tx, { run: run.id, kind, ids, now });
  return results;
}

/** Kinds of actions on unpaid invoices only. */
const COLLECTING = listKinds('collects');

const nothing = { size: 0, store: async () => [] };

/** Compares our plans and attempts with the stored invoices and the lists. */
export function createOwnWorkReader({ database, clock }: SyncDeps): PageReader {
  return async (run, range) => {
    const now = clock.now();
    const [from, to] = [fromUnixSeconds(range.from), fromUnixSeconds(range.to)];
    const found = await findOwnDrifts(database, run, { from, to, kinds: COLLECTING, now });
    return {
      ...nothing,
      last: undefined,
      note: async (tx) => {
        for (const kind of ['actions', 'attempts'] as const) {
          const ids = found.filter((drift) => drift.kind === kind).map(({ id }) => id);
          await recordDrifts(tx, { run: run.id, kind, ids, now });
        }
      },
    };
  };
}

const PAGE = 20;
/** A larger number has a common cause, which a backfill repairs. */
const MOST = 1_000;

/** Stores and rolls back; returns the difference. */
type Compare = (tx: Transaction) => Promise<Difference | undefined>;

/** The range's position is a count here. */
export function createDriftReader(deps: SyncDeps): PageReader {
  const subscriptions = createSubscriptionMirror(deps);
  const invoices = createInvoiceMirror(deps);
  const lookAgain = (run: BackfillRun, drift: Drift): Promise<Compare> => {
    if (drift.kind === 'subscriptions') return compareAlone(deps, subscriptions, run, drift);
    if (drift.kind === 'invoices') return compareAlone(deps, invoices, run, drift);
    return drift.kind === 'charges' ? compareCharge(deps, run, drift) : compareOwn(deps, run, drift);
  };
  return async (run, range) => {
    const drifts = await listUnconfirmed(deps.database, run.id, PAGE);
    const compared: (readonly [Drift, Compare])[] = [];
    for (const drift of drifts) compared.push([drift, await lookAgain(run, drift)]);
    const looked = Number(range.after ?? 0) + drifts.length;
    const isMore = drifts.length === PAGE && looked < MOST;
    return {
      ...nothing,
      size: drifts.length,
      last: isMore ? { id: String(looked), created: range.to } : undefined,
      note: async (tx) => {
        for (const [drift, compare] of compared)
          await concludeDrift(tx, run.id, { ...drift, difference: await compare(tx) }, deps.clock.now());
      },
    };
  };
}

async function compareAlone<Item, Row extends { id: string }>(
  deps: SyncDeps,
  mirror: Mirror<Item, Row>,
  run: BackfillRun,
  drift: Drift,
): Promise<Compare> {
  const { account } = run;
  const { id } = drift;
  const alone = await readAlone(deps, mirror, run, id);
  if (alone === undefined) return async () => undefined;
  if ('row' in alone) return (tx) => differenceOf(tx, run, drift, () => storeRows(tx, mirror, run, [alone]));
  return (tx) => differenceOf(tx, run, drift, () => storeGone(deps, tx, { account, id, ...alone.gone }));
}

async function compareCharge(deps: SyncDeps, run: BackfillRun, drift: Drift): Promise<Compare> {
  const { account, perSecond } = run;
  const charge = await deps.stripe.atPace('charge', perSecond, () =>
    deps.stripe.findCharge(account, drift.id),
  );
  const read = await readCharges(deps, run, charge ? [charge] : []);
  return (tx) => differenceOf(tx, run, drift, () => storeCharges(tx, { account, run: run.id }, read));
}

async function compareOwn(
  deps: SyncDeps,
  { account, perSecond }: BackfillRun,
  drift: Drift,
): Promise<Compare> {
  const options = { kinds: COLLECTING, now: deps.clock.now() };
  const own = (tx: Transaction) => findOwnDifference(tx, account, drift, options);
  const chargeId =
    drift.kind === 'attempts' ? await findPaidCharge(deps.database, account, drift.id) : undefined;
  if (chargeId === undefined) return own;
  const charge = await deps.stripe.atPace('charge', perSecond, () =>
    deps.stripe.findCharge(account, chargeId),
  );
  if (charge?.status === 'succeeded') return async () => undefined;
  return async () => ({ [`outcome of ${chargeId}`]: ['paid', charge?.status ?? null] });
}

async function differenceOf(
  tx: Transaction,
  { account }: BackfillRun,
  drift: Drift,
  store: () => Promise<unknown>,
): Promise<Difference | undefined> {
  const here = await readMirrored(tx, account, drift);
  const there = await takenBack(tx, async () => {
    await store();
    return readMirrored(tx, account, drift);
  });
  if (there === undefined) return undefined;
  // A draft is not owed yet: its first event is its finalization.
  if (here === undefined && there.status === 'draft') return undefined;
  if (here === undefined) return { record: ['not stored', there.status ?? there.outcome] };
  const names = [...new Set([...Object.keys(here), ...Object.keys(there)])];
  const differing = names.filter((name) => JSON.stringify(here[name]) !== JSON.stringify(there[name]));
  if (differing.length === 0) return undefined;
  return Object.fromEntries(differing.map((name) => [name, [here[name] ?? null, there[name] ?? null]]));
}
