/** Kinds left out for a service that does not accept them: learned from its answer, remembered by its address. */
import { toIsoVersion } from '../../../core/base/clock.ts';
import { toContractRecord } from '../../../core/contract/contract-extensions.ts';
import { toIsoAmounts } from '../../../core/contract/iso-amounts.ts';
import { clearDeliveryPauses } from '../../store/tables/sync/cursors.ts';
import { markDelivered, type OutboxRow } from '../../store/tables/sync/outbox.ts';
import { noteUntaken, setAside } from '../../store/tables/sync/untaken.ts';
import type { DeliverDeps, Delivery, Setback } from './delivery.ts';

export const NO_PATH = 'the service has no path for it';
/** Statuses of a missing path. */
const MISSING: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

/** Remembers a service without a path for an offered kind. */
export async function isLeftOut(
  deps: DeliverDeps,
  { kind, account }: Delivery,
  setback: Setback,
): Promise<boolean> {
  const { config, database, clock, logger } = deps;
  const { forward } = config;
  if (kind === 'subscriptions' || !forward.offered.includes(kind)) return false;
  if (setback.kind !== 'failed' || !MISSING.has(setback.status)) return false;
  const missing = { account, kind, service: forward.to };
  if (!(await noteUntaken(database, missing, clock.now()))) return false;
  await setAside(database, kind, account, { answer: NO_PATH });
  await clearDeliveryPauses(database, account, [kind]);
  const { status } = setback;
  logger.warn({ account, kind, status }, `the service takes no ${kind}: they are not offered again`);
  return true;
}

const SHORT: ReadonlySet<unknown> = new Set(['BILLING_PERIOD_UNIT_DAY', 'BILLING_PERIOD_UNIT_WEEK']);

/** Sends a record once without its period of days or weeks, if the service refused it: the contract names months and years. */
export async function isTakenWithoutPeriod(
  deps: DeliverDeps,
  delivery: Delivery,
  row: OutboxRow,
): Promise<boolean> {
  const { config, database, clock } = deps;
  const { kind, account } = delivery;
  if (kind !== 'subscriptions') return false;
  if (delivery.leavesOutShortPeriods || !SHORT.has(row.message.billingPeriodUnit)) return false;
  const record = toRecord({ ...delivery, leavesOutShortPeriods: true }, row);
  const result = await deps.serviceOf(account).ingest(kind, [record]);
  if (result.kind !== 'accepted') return false;
  await markDelivered(database, kind, account, [row], result.requestId);
  const untaken = { account, kind: 'short_periods', service: config.forward.to } as const;
  return noteUntaken(database, untaken, clock.now());
}

export function toRecord({ isExtended, leavesOutShortPeriods, kind }: Delivery, row: OutboxRow): object {
  const whole = toIsoAmounts({ ...row.message, updatedAt: toIsoVersion(row.version) });
  const isShort = leavesOutShortPeriods && SHORT.has(whole.billingPeriodUnit);
  const { billingPeriod: _, billingPeriodUnit: __, ...withoutPeriod } = whole;
  const record = isShort ? withoutPeriod : whole;
  return isExtended ? record : toContractRecord(kind, record);
}
