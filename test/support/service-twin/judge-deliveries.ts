/** What came is held to: nothing lost, nothing older after newer, no haste. Pure. */
import type { Fault } from '../../../src/workbench/check-service/check-report.ts';
import { type Delivery, isAcknowledged, isTaken, type ToldSubscription } from './twin-service.ts';

/** The number of the latest change of each subscription. */
export type Expected = ReadonlyMap<string, number>;

/** A mark is the number of the change. */
const changeOf = ({ businessEntity }: ToldSubscription): number => Number(businessEntity);

/** What the service believes: of each subscription what is taken with the latest `updatedAt`. */
export function believed(deliveries: readonly Delivery[]): Map<string, ToldSubscription> {
  const view = new Map<string, ToldSubscription>();
  for (const record of deliveries.filter(isTaken).flatMap(({ records }) => records)) {
    const known = view.get(record.id);
    if (!known || Date.parse(known.updatedAt) < Date.parse(record.updatedAt)) view.set(record.id, record);
  }
  return view;
}

export function findLost(deliveries: readonly Delivery[], expected: Expected): Fault {
  const view = believed(deliveries);
  for (const [id, change] of expected) {
    const known = view.get(id);
    if (!known) return `lost: ${id} was never told`;
    if (changeOf(known) !== change)
      return `lost: change ${change} of ${id}; the service knows change ${changeOf(known)}`;
  }
  return undefined;
}

export function judgeDeliveries(deliveries: readonly Delivery[], expected: Expected): Fault {
  const spoilt = deliveries.find(({ fault }) => fault !== undefined);
  if (spoilt) return `not of the contract: ${spoilt.fault}`;
  return findLost(deliveries, expected) ?? findOlder(deliveries, expected) ?? findHaste(deliveries);
}

/** By what changed, and by the time it is said to have changed at, which is all that the service can go by. */
function findOlder(deliveries: readonly Delivery[], expected: Expected): Fault {
  const newest = new Map<string, ToldSubscription>();
  for (const delivery of deliveries) {
    for (const record of delivery.records.filter(({ id }) => expected.has(id))) {
      const before = newest.get(record.id);
      if (before && changeOf(record) < changeOf(before))
        return `older after newer: change ${changeOf(record)} of ${record.id} came after change ${changeOf(before)}`;
      if (before && Date.parse(record.updatedAt) < Date.parse(before.updatedAt))
        return `older after newer: ${record.id} is of ${record.updatedAt}, and was of ${before.updatedAt}`;
      const isOther = before && changeOf(record) !== changeOf(before);
      if (isOther && record.updatedAt === before.updatedAt)
        return `changes ${changeOf(before)} and ${changeOf(record)} of ${record.id} have one updatedAt, so the later one counts for nothing`;
      if (isTaken(delivery)) newest.set(record.id, record);
    }
  }
  return undefined;
}

/** Clocks of two processes differ, and timers are early. */
const TOLERANCE_MS = 100;

/** Sooner again than the answer asked for. */
function findHaste(deliveries: readonly Delivery[]): Fault {
  for (const { answer, answeredAt, comeByThen } of deliveries) {
    if (!answer?.waitMs || !answeredAt || comeByThen === undefined) continue;
    const next = deliveries[comeByThen];
    const waited = next ? next.at.diff(answeredAt).toMillis() : Number.POSITIVE_INFINITY;
    if (waited < answer.waitMs - TOLERANCE_MS)
      return `asked to wait ${answer.waitMs} ms, it came again after ${waited} ms`;
  }
  return undefined;
}

/** Of answers in a row that take nothing. */
export function findSteadyPauses(deliveries: readonly Delivery[]): Fault {
  const pauses = deliveries
    .slice(1, 4)
    .map(({ at }, index) => at.diff(deliveries[index]?.at ?? at).toMillis());
  const [first = 0, , third = 0] = pauses;
  return pauses.length === 3 && third > first ? undefined : `the pauses do not grow: ${pauses.join(', ')} ms`;
}

/** Allowed, as records may come twice; a client that does it every time never ends. */
export function countRepeated(deliveries: readonly Delivery[]): number {
  const seen = new Set<string>();
  let repeated = 0;
  for (const delivery of deliveries.filter(isAcknowledged)) {
    for (const record of delivery.records) {
      const text = JSON.stringify(Object.entries(record).sort());
      if (seen.has(text)) repeated += 1;
      seen.add(text);
    }
  }
  return repeated;
}
