/** Common rules of mirrored objects: which of two states is newer, and when to read again. */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { printableText } from '../../../core/base/printable-text.ts';
import { type Reason, readReason } from '../../reasons/reason.ts';
import type { MirrorVersion, MirrorWrite, VersionSource } from '../../store/tables/sync/mirror-version.ts';
import { findMirrorVersion, type MirroredKind } from '../../store/tables/sync/mirrors.ts';
import {
  ASKS_STRIPE,
  type Copy,
  canAsk,
  type EventPlan,
  isOurVersion,
  type PlanDeps,
  type ReceivedEvent,
  type StepResult,
  type SyncDeps,
} from './event-step.ts';
import { BEFORE_ALL, judgeFreshness, readVersion } from './freshness.ts';

/** Origin of an object. `isWhole`: complete, so an unmappable object stays so. */
export interface Observation {
  readonly at: DateTime;
  readonly source: VersionSource;
  readonly isWhole: boolean;
}

export interface Mirrored<Item, Row> {
  readonly kind: MirroredKind;
  find(deps: SyncDeps, account: string, id: string): Promise<Item | undefined>;
  /** Undefined if the object is incomplete, and Stripe has to be asked. */
  toRow(deps: PlanDeps, account: string, item: Item, seen: Observation): Promise<Row | undefined>;
  /** Input of `storeCopies`. */
  toCopy(write: MirrorWrite<Row>): Copy;
  /** Result for an object that Stripe no longer has; undefined if Stripe has to be asked. */
  whenGone(
    deps: PlanDeps,
    gone: { account: string; event: Stripe.Event; snapshot: Item; at: DateTime },
  ): Promise<{ result: EventPlan['result']; row?: Row } | undefined>;
}

/** Stores an event's snapshot, or the object as Stripe has it now. */
export async function mirrorSnapshot<Item extends { id: string }, Row extends { id: string }>(
  deps: PlanDeps,
  mirrored: Mirrored<Item, Row>,
  { account, event, createdAt, stored, seen }: ReceivedEvent,
  snapshot: Item,
): Promise<StepResult> {
  const { id } = snapshot;
  if (seen?.isFirst === false) return { result: { code: 'mirrored', isReread: true } };
  const isDeleted = event.type === 'invoice.deleted';
  if (seen && !isDeleted && isOurVersion(event)) {
    const at = readVersion(seen.at, createdAt, stored);
    const row = await mirrored.toRow(deps, account, snapshot, { at, source: 'read', isWhole: true });
    return row || canAsk(deps) ? toReadPlan(mirrored, stored, row) : ASKS_STRIPE;
  }
  const verdict = judgeFreshness(stored, createdAt, deps.clock.now());
  if (verdict === 'stale') return { result: { code: 'stale' } };
  if (verdict === 'apply' && isOurVersion(event) && !isDeleted) {
    const seen = { at: createdAt, source: 'event', isWhole: false } as const;
    const row = await mirrored.toRow(deps, account, snapshot, seen);
    if (row) return { result: { code: 'mirrored' }, copy: mirrored.toCopy({ row, basis: { stored } }) };
  }
  if (!isDeleted) {
    if (!canAsk(deps)) return ASKS_STRIPE;
    const plan = await readAgain(deps, mirrored, { account, id, createdAt, stored });
    if (plan) return plan;
  }
  const at = readVersion(deps.clock.now(), createdAt, stored);
  const gone = await mirrored.whenGone(deps, { account, event, snapshot, at });
  if (!gone) return ASKS_STRIPE;
  const { result, row } = gone;
  return { result, ...(row && { copy: mirrored.toCopy({ row, basis: { stored } }) }) };
}

/** Stores the object as Stripe has it now. Undefined if it has none. */
export async function mirrorAgain<Item, Row extends { id: string }>(
  deps: SyncDeps,
  mirrored: Mirrored<Item, Row>,
  account: string,
  id: string,
): Promise<EventPlan | undefined> {
  const stored = await findMirrorVersion(deps.database, { account, kind: mirrored.kind, id });
  return readAgain(deps, mirrored, { account, id, createdAt: BEFORE_ALL, stored });
}

async function readAgain<Item, Row extends { id: string }>(
  deps: SyncDeps,
  mirrored: Mirrored<Item, Row>,
  {
    account,
    id,
    createdAt,
    stored,
  }: { account: string; id: string; createdAt: DateTime; stored: MirrorVersion | undefined },
): Promise<EventPlan | undefined> {
  const at = readVersion(deps.clock.now(), createdAt, stored);
  const fresh = await mirrored.find(deps, account, id);
  if (!fresh) return undefined;
  const row = await mirrored.toRow(deps, account, fresh, { at, source: 'read', isWhole: true });
  return toReadPlan(mirrored, stored, row);
}

function toReadPlan<Item, Row extends { id: string }>(
  mirrored: Mirrored<Item, Row>,
  stored: MirrorVersion | undefined,
  row: Row | undefined,
): EventPlan {
  return row
    ? { result: { code: 'mirrored', isReread: true }, copy: mirrored.toCopy({ row, basis: { stored } }) }
    : { result: { code: 'unmappable' } };
}

/** A reason with printable parameters: they may contain Stripe's text. */
export function printableReason(reason: Reason): Reason {
  const entries = Object.entries(reason).map(([name, value]) => [
    name,
    typeof value === 'string' ? (printableText(value) ?? '') : value,
  ]);
  return readReason(Object.fromEntries(entries));
}
