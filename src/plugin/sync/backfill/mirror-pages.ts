/** Pages of subscriptions and invoices: mapped as their events are, stored if they are news. */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import type { Transaction } from '../../../core/database/database.ts';
import { isOnOtherTestClock } from '../../clients/other-test-clock.ts';
import type { ListedPage, ListRequest } from '../../clients/reads/stripe-lists.ts';
import { completePrices, createPriceMemory } from '../../clients/reads/stripe-subscriptions.ts';
import {
  listScheduledInvoices,
  type PageResult,
  type PageRow,
  upsertPage,
} from '../../store/tables/backfill/backfill-pages.ts';
import type { BackfillRun } from '../../store/tables/backfill/backfill-runs.ts';
import { recordSeen } from '../../store/tables/backfill/backfill-unseen.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { INVOICES, type InvoiceRow } from '../../store/tables/sync/invoices.ts';
import { findMirrorVersion, type MirroredKind } from '../../store/tables/sync/mirrors.ts';
import { keepPayer } from '../../store/tables/sync/payers.ts';
import { SUBSCRIPTIONS, type SubscriptionRow } from '../../store/tables/sync/subscriptions.ts';
import type { SyncDeps } from '../events/event-step.ts';
import { BEFORE_ALL, newestSurelyBefore, readVersion } from '../events/freshness.ts';
import { FINAL_STATUSES, toInvoiceRow } from '../events/mirror-invoice.ts';
import type { Observation } from '../events/mirror-object.ts';
import { toSubscriptionRow } from '../events/mirror-subscription.ts';
import { type PageReader, positionOf, refuseContested } from './read-page.ts';

/** A kind of mirrored object: its listing, single read, mapping and storage. */
export interface Mirror<Item, Row> {
  readonly kind: MirroredKind;
  list(run: BackfillRun, request: ListRequest): Promise<ListedPage<Item>>;
  /** Undefined if Stripe no longer has it. */
  find(run: BackfillRun, id: string): Promise<Item | undefined>;
  /** Undefined if the object is incomplete and must be read alone. */
  toRow(account: string, item: Item, seen: Observation): Promise<Row | undefined>;
  upsert(tx: Transaction, run: BackfillRun, rows: readonly PageRow<Row>[]): Promise<PageResult[]>;
  /** Records parts of a page that the run needs later. */
  note?(tx: Transaction, run: BackfillRun, page: readonly Row[]): Promise<void>;
  /** Applies the consequences of written rows. */
  settle(tx: Transaction, run: BackfillRun, written: readonly Row[]): Promise<void>;
}

/** Reads the object alone; it may replace the version stored when the read began. */
export async function readAlone<Item, Row>(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  mirror: Mirror<Item, Row>,
  run: BackfillRun,
  id: string,
): Promise<PageRow<Row> | { gone: { replaces: DateTime; version: DateTime } } | undefined> {
  const { account } = run;
  const stored = await findMirrorVersion(database, { account, kind: mirror.kind, id });
  const at = readVersion(clock.now(), BEFORE_ALL, stored);
  const replaces = stored?.version ?? BEFORE_ALL;
  const item = await mirror.find(run, id);
  if (item === undefined) return { gone: { replaces, version: at } };
  const row = await mirror.toRow(account, item, { at, source: 'read', isWhole: true });
  return row && { row, replaces };
}

export function createMirrorReader<Item extends { id: string; created: number }, Row extends { id: string }>(
  deps: SyncDeps,
  mirror: Mirror<Item, Row>,
): PageReader {
  return async (run, range) => {
    const { account, perSecond } = run;
    const at = deps.clock.now();
    const { data, hasMore } = await mirror.list(run, { account, perSecond, ...range });
    const rows = new Map<string, PageRow<Row>>();
    const reread = async (ids: readonly string[]) => {
      for (const id of ids) {
        const alone = await readAlone(deps, mirror, run, id);
        if (alone && 'row' in alone) rows.set(id, alone);
        else rows.delete(id);
      }
    };
    const lacking: string[] = [];
    for (const item of data) {
      if (isOnOtherTestClock(deps.config, item)) continue;
      const row = await mirror.toRow(account, item, { at, source: 'read', isWhole: false });
      if (row) rows.set(item.id, { row, replaces: newestSurelyBefore(at) });
      else lacking.push(item.id);
    }
    await reread(lacking);
    // The closures below hold rows only: the objects are many times their size.
    const size = data.length;
    const last = hasMore ? positionOf(data) : undefined;
    return {
      last,
      size,
      reread,
      note: async (tx) =>
        mirror.note?.(
          tx,
          run,
          Array.from(rows.values(), ({ row }) => row),
        ),
      store: (tx) => storeRows(tx, mirror, run, [...rows.values()]),
    };
  };
}

/** Throws ContestedPageError. */
export async function storeRows<Item, Row extends { id: string }>(
  tx: Transaction,
  mirror: Mirror<Item, Row>,
  run: BackfillRun,
  page: readonly PageRow<Row>[],
): Promise<PageResult[]> {
  const results = await mirror.upsert(tx, run, page);
  refuseContested(results);
  const written = new Set(results.filter(({ verdict }) => verdict !== 'equal').map(({ id }) => id));
  const rows = page.map(({ row }) => row).filter(({ id }) => written.has(id));
  await mirror.settle(tx, run, rows);
  return results;
}

const pageOf = <Row>({ account, id }: BackfillRun, page: readonly Row[]) => ({ account, run: id, page });

export function createSubscriptionMirror(deps: SyncDeps): Mirror<Stripe.Subscription, SubscriptionRow> {
  const remember = createPriceMemory();
  return {
    kind: 'subscriptions',
    list: async ({ id: run, account, perSecond }, request) => {
      const { data, hasMore } = await deps.stripe.listSubscriptions(request);
      const find = remember(run, (id, tiersIn) =>
        deps.stripe.atPace('price', perSecond, () => deps.stripe.findPrice(account, id, tiersIn)),
      );
      return { data: await Promise.all(data.map((listed) => completePrices(listed, find))), hasMore };
    },
    find: ({ account, perSecond }, id) =>
      deps.stripe.atPace('subscription', perSecond, () => deps.stripe.findSubscription(account, id)),
    toRow: (account, subscription, seen) => toSubscriptionRow(deps, account, subscription, seen),
    upsert: (tx, run, rows) => upsertPage(tx, SUBSCRIPTIONS, pageOf(run, rows)),
    settle: async (tx, { account }, written) => {
      const canceled = written.filter(({ status }) => status === 'canceled').map(({ id }) => id);
      if (canceled.length === 0) return;
      const invoiceIds = await listScheduledInvoices(tx, account, canceled);
      if (invoiceIds.length === 0) return;
      const now = deps.clock.now();
      await closeScheduledActions(tx, { account, invoiceIds }, { code: 'subscription_canceled' }, now);
    },
  };
}

const UNSETTLED: ReadonlySet<string> = new Set(['open', 'draft']);

export function createInvoiceMirror(deps: SyncDeps): Mirror<Stripe.Invoice, InvoiceRow> {
  return {
    kind: 'invoices',
    list: (_run, request) => deps.stripe.listInvoices(request),
    find: ({ account, perSecond }, id) =>
      deps.stripe.atPace('invoice', perSecond, () => deps.stripe.findInvoice(account, id)),
    toRow: (account, invoice, seen) => toInvoiceRow(deps, account, invoice, seen),
    upsert: (tx, run, rows) => upsertPage(tx, INVOICES, pageOf(run, rows)),
    note: async (tx, run, page) => {
      const unsettled = page.filter(({ status }) => UNSETTLED.has(status)).map(({ id }) => id);
      if (unsettled.length > 0) await recordSeen(tx, run.id, unsettled);
    },
    settle: async (tx, run, written) => {
      for (const { payer } of written) if (payer) await keepPayer(tx, run.account, payer);
      await closeSettled(deps, tx, run.account, written);
    },
  };
}

async function closeSettled(
  { clock }: Pick<SyncDeps, 'clock'>,
  tx: Transaction,
  account: string,
  written: readonly InvoiceRow[],
): Promise<void> {
  for (const status of FINAL_STATUSES) {
    const invoiceIds = written.filter((row) => row.status === status).map(({ id }) => id);
    const reason = { code: 'invoice_ended', status } as const;
    if (invoiceIds.length > 0) await closeScheduledActions(tx, { account, invoiceIds }, reason, clock.now());
  }
}
