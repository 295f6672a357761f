/** What a static schedule recovers from the same customers: they live the same weeks once more, and nobody writes to them. */
import type { DateTime } from 'luxon';
import { createSimulatedClock } from '../../core/base/clock.ts';
import { ApiError } from '../sandbox/api-error.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { type Agenda, createAgenda } from './agenda.ts';
import type { CastMember } from './cast.ts';
import { listFailedInvoices } from './ledger.ts';
import { invite, planTurns } from './people.ts';

export const STATIC_DAYS: readonly number[] = [1, 3, 5, 7];

export interface StaticInvoice {
  readonly amount: number;
  readonly currency: string;
  readonly isRecovered: boolean;
}

interface StaticWorld {
  readonly sandbox: Sandbox;
  readonly agenda: Agenda;
  readonly start: DateTime;
}

export async function playStaticSchedule(
  cast: readonly CastMember[],
  start: DateTime,
  end: DateTime,
): Promise<StaticInvoice[]> {
  const clock = createSimulatedClock(start);
  const sandbox = await startSandbox({ clock });
  const world = { sandbox, agenda: createAgenda(), start };
  try {
    planTurns(world, invite(world, cast, start), start, () => {});
    const seen = new Set<string>();
    for (let now = start; now <= end; now = clock.now().plus({ hours: 1 })) {
      await clock.set(now);
      await world.agenda.runDue(now);
      await sandbox.run();
      for (const { id } of listFailedInvoices(sandbox)) {
        if (!seen.has(id)) planNext(world, id, 0, now);
        seen.add(id);
      }
    }
    return listFailedInvoices(sandbox).map(({ amount_due: amount, currency, status }) => ({
      amount,
      currency,
      isRecovered: status === 'paid',
    }));
  } finally {
    await sandbox.stop();
  }
}

/** Declines that no attempt can mend. */
const FINAL: ReadonlySet<string> = new Set([
  'expired_card',
  'invalid_account',
  'lost_card',
  'stolen_card',
  'authentication_required',
]);

/** Plans the next day of the schedule, in hours since the failure; none after a code that forbids it. */
function planNext(world: StaticWorld, id: string, tries: number, failedAt: DateTime): void {
  const { sandbox, agenda, start } = world;
  const day = STATIC_DAYS[tries];
  if (sandbox.state.invoices.get(id)?.status !== 'open' || day === undefined) return;
  if (FINAL.has(findCode(sandbox, id))) return;
  const failedHour = Math.floor(failedAt.diff(start, 'hours').hours);
  agenda.add(start.plus({ hours: failedHour + day * 24 }), () => {
    tryToCharge(sandbox, id);
    planNext(world, id, tries + 1, failedAt);
  });
}

function findCode({ state }: Sandbox, invoiceId: string): string {
  const [payment] = state.invoicePayments.newestFirst({ index: 'invoice', key: invoiceId });
  const error = state.paymentIntents.get(payment?.payment.payment_intent ?? '')?.last_payment_error;
  return error?.decline_code ?? error?.code ?? 'generic_decline';
}

/** A decline, a debit that is under way, an invoice that was settled meanwhile: the schedule goes on, or ends. */
export function tryToCharge(sandbox: Sandbox, id: string): void {
  try {
    sandbox.payAsMerchant(id);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
