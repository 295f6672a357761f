import { setImmediate as nextTurn } from 'node:timers/promises';
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { inSlices } from '../../../core/base/in-slices.ts';
import { isRecord } from '../../../core/contract/contract.ts';
import { isOnOtherTestClock } from '../../clients/other-test-clock.ts';
import type { EventResult } from '../../reasons/event-result.ts';
import { listForgottenPersons } from '../../store/tables/forgotten.ts';
import { findAccountObjection, holdsRevocation } from '../../store/tables/stored-accounts.ts';
import type { InboxEntry, WaitingEvent } from '../../store/tables/sync/events.ts';
import type { MirrorVersion } from '../../store/tables/sync/mirror-version.ts';
import { listMirrorVersions, type MirroredKind } from '../../store/tables/sync/mirrors.ts';
import { word } from '../events/event-object.ts';
import {
  ASKS_STRIPE,
  ConcurrentUpdateError,
  canAsk,
  type EventPlan,
  type PlanDeps,
  type ReceivedEvent,
  type SeenState,
} from '../events/event-step.ts';
import { HANDLERS, type Steps } from '../events/handlers.ts';
import { type CompletedEvent, isThin, MIRRORED_TYPES } from './read-thin.ts';

export interface ReadEvent {
  readonly id: string;
  readonly event: Stripe.Event;
  readonly person: string;
  /** What it is about. */
  readonly objectId: string | undefined;
  /** Where a copy of that is kept. */
  readonly kind: MirroredKind | undefined;
  /** State of an object that the event did not hold. */
  readonly seen?: SeenState;
}

/** Undefined of a thin event, whose object is to be read first. */
export function readEvent({ id, payload, person }: WaitingEvent): ReadEvent | undefined {
  const event = JSON.parse(payload);
  return isThin(event) ? undefined : toReadEvent({ id, person }, event);
}

/** Whom a thin event is about only its object says. */
export function readCompleted({ id, event, seen }: CompletedEvent): ReadEvent {
  return { ...toReadEvent({ id, person: personOf(event) }, event), seen };
}

export function toReadEvent({ id, person }: InboxEntry, body: object): ReadEvent {
  const event = body as Stripe.Event;
  const object: unknown = event.data?.object;
  const { id: named, object: type } = isRecord(object) ? object : {};
  const objectId = word.safeParse(named).data;
  return { id, event, person, objectId, kind: MIRRORED_TYPES.get(type) };
}

const isAboutAccess = ({ type }: Stripe.Event): boolean => type.startsWith('account.application.');

/** Events planned in a few milliseconds; then the host application gets its turn. */
const PLANNED_IN_A_TURN = 100;

/** Plans events of one account, no two about one object; common reads happen once. A failing plan fails alone. */
export async function planEvents(
  deps: PlanDeps,
  account: string,
  events: readonly ReadEvent[],
): Promise<PromiseSettledResult<Planned>[]> {
  const known = await readKnown(deps, account, events);
  const outcomes: PromiseSettledResult<Planned>[] = [];
  for (const slice of inSlices(events, PLANNED_IN_A_TURN)) {
    if (outcomes.length > 0) await nextTurn();
    outcomes.push(...(await Promise.allSettled(slice.map((event) => planEvent(deps, known, event)))));
  }
  return outcomes;
}

/** What an event leads to. */
export type Planned = EventPlan[] | typeof ASKS_STRIPE;

/** Facts that the account's events need. */
interface Known {
  readonly account: string;
  readonly objection: EventResult | undefined;
  readonly forgotten: ReadonlySet<string>;
  readonly versions: Readonly<Record<MirroredKind, ReadonlyMap<string, MirrorVersion>>>;
  readonly admit: () => Promise<void>;
}

async function readKnown(deps: PlanDeps, account: string, events: readonly ReadEvent[]): Promise<Known> {
  const { database, accounts } = deps;
  const persons = events.map(({ person }) => person).filter((person) => person !== '');
  const versionsOf = (kind: MirroredKind) => {
    const ids = events.flatMap((one) => (one.kind === kind ? (one.objectId ?? []) : []));
    return listMirrorVersions(database, { account, kind, ids });
  };
  let admission: Promise<void> | undefined;
  return {
    account,
    objection: await findAccountObjection(database, accounts, account),
    forgotten: await listForgottenPersons(database, account, persons),
    versions: { subscriptions: await versionsOf('subscriptions'), invoices: await versionsOf('invoices') },
    admit: () => {
      admission ??= deps.admit(account);
      return admission;
    },
  };
}

async function planEvent(
  deps: PlanDeps,
  known: Known,
  { event, person, objectId = '', kind, seen }: ReadEvent,
): Promise<Planned> {
  const { account } = known;
  const objection = findObjection(deps, known, event);
  if (objection) return [toIgnored(account, objection)];
  await known.admit();
  const row = HANDLERS.get(event.type);
  if (!row) return [{ result: { code: 'ignored_type' } }];
  if (seen?.isGone) return [{ result: { code: 'gone', object: kind ? NAMES[kind] : 'other' } }];
  const stored = seen ? seen.stored : kind && known.versions[kind].get(objectId);
  const createdAt = fromUnixSeconds(event.created);
  const received = { account, event, createdAt, stored, ...(seen && { seen }) };
  const isForgotten = known.forgotten.has(person);
  const unreadable = row.object.findUnreadable(event);
  if (unreadable) return [{ result: isForgotten ? FORGOTTEN : unreadable }];
  if (!row.isAlone) return takeSteps(row, deps, received, isForgotten);
  return canAsk(deps) ? takeSteps(row, deps, received, isForgotten) : ASKS_STRIPE;
}

const FORGOTTEN: EventResult = { code: 'customer_forgotten' };

async function takeSteps<Deps>(
  { ledger = [], steps = [] }: Steps<Deps>,
  deps: Deps,
  received: ReceivedEvent,
  isForgotten: boolean,
): Promise<Planned> {
  const plans: EventPlan[] = isForgotten ? [{ result: FORGOTTEN }] : [];
  for (const step of isForgotten ? ledger : [...ledger, ...steps]) {
    const plan = await step(deps, received);
    if (plan === ASKS_STRIPE) return ASKS_STRIPE;
    plans.push(plan);
  }
  return plans;
}

const NAMES = { invoices: 'invoice', subscriptions: 'subscription' } as const;

/** A live endpoint for connected accounts receives test events too (stripe-facts 1.5). */
function findObjection(
  { config, accounts }: Pick<PlanDeps, 'config' | 'accounts'>,
  { account, objection }: Known,
  event: Stripe.Event,
): EventResult | undefined {
  const isOurMode = config.livemode === undefined || event.livemode === config.livemode;
  if (!isOurMode && typeof event.livemode === 'boolean')
    return { code: 'ignored_mode', isLive: event.livemode };
  if (isOnOtherTestClock(config, event.data?.object)) return { code: 'ignored_test_clock' };
  return isAboutAccess(event) && accounts.find(account) ? undefined : objection;
}

/** The event is kept with the reason why nothing is done about it. */
function toIgnored(account: string, result: EventResult): EventPlan {
  if (result.code !== 'access_revoked') return { result };
  return {
    result,
    // Restoring access puts such events back: this one must be seen then, or see the access.
    apply: async (tx) => {
      if (!(await holdsRevocation(tx, account))) throw new ConcurrentUpdateError(`Access to ${account}`);
    },
  };
}

const LONGEST = 255;

/** Returns whom an event is about, so that it can be forgotten: a customer's id; of what names none, the charge's; empty for nobody. */
export function personOf(event: unknown): string {
  const { object, id, customer, customer_account, charge } = fieldsOf(fieldsOf(fieldsOf(event).data).object);
  const person =
    object === 'customer' ? idOf(id) : (idOf(customer) ?? idOf(customer_account) ?? idOf(charge));
  return person !== undefined && /^[!-~]+$/.test(person) ? person.slice(0, LONGEST) : '';
}

// By hand: each webhook pays for it, and a schema makes an error of each field that is null.
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

function idOf(value: unknown): string | undefined {
  const id = isRecord(value) ? value.id : value;
  return typeof id === 'string' ? id : undefined;
}
