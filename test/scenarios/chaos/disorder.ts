/** What goes wrong, by chance: on the way from Stripe, at Stripe, and at the service. */
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import type { IngestRequest, RecordingService, ServiceAnswer } from '../../support/http/recording-service.ts';
import type { Dice } from './dice.ts';
import { REFUSED_ENTITY } from './life.ts';

const API_FAULTS = [
  'rate_limit',
  'lock_timeout',
  'server_error',
  'server_error_before',
  'conflict',
  'drop_before',
  'drop_after',
] as const;

/** Another disorder than before, for the time to come. */
export function disturb(sandbox: Sandbox, dice: Dice): void {
  Object.assign(sandbox.webhookFaults, {
    duplicate: dice.pick([0, 0.3]),
    shuffle: dice.chance(0.6),
    drop: dice.pick([0, 0.2, 0.7, 1]),
    delayMs: dice.pick([0, 0, 30_000, 4 * 3_600_000]),
  });
  disturbCalls(sandbox, dice);
}

/** Those after which the outcome of a payment is known within minutes: a stored `server_error` is repeated for a day. */
export const BRIEF_FAULTS = API_FAULTS.filter((fault) => fault !== 'server_error');

/** Other calls than before fail, for the time to come. */
export function disturbCalls(
  sandbox: Sandbox,
  dice: Dice,
  faults: readonly (typeof API_FAULTS)[number][] = API_FAULTS,
): void {
  sandbox.faults.clear();
  for (let count = dice.between(0, 3); count > 0; count -= 1) {
    const fault = dice.pick(faults);
    if (dice.chance(0.7)) sandbox.faults.next('POST', /\/pay$/, fault, dice.between(1, 2));
    else sandbox.faults.next('GET', /./, fault, 1);
  }
}

/** Nothing fails any more; `drop` stays where only Stripe's list of events is to make up for what was lost. */
export function calm(sandbox: Sandbox, { isDropping }: { isDropping: boolean }): void {
  sandbox.faults.clear();
  Object.assign(sandbox.webhookFaults, {
    duplicate: 0,
    shuffle: false,
    drop: isDropping ? 1 : 0,
    delayMs: 0,
  });
}

/** Refuses what is not fit in good and bad times alike, and in bad times answers as it likes. */
export function answerBadly(service: RecordingService, dice: Dice, isBad: () => boolean): void {
  service.answer = (request) => refusal(request) ?? (isBad() ? badAnswer(dice) : undefined);
}

function refusal({ kind, records }: IngestRequest): ServiceAnswer | undefined {
  const isUnfit = kind === 'subscriptions' && records.some((one) => one.businessEntity === REFUSED_ENTITY);
  return isUnfit ? { status: 400 } : undefined;
}

function badAnswer(dice: Dice): ServiceAnswer | undefined {
  return dice.pick<ServiceAnswer | undefined>([
    undefined,
    undefined,
    undefined,
    { status: 429, headers: { 'retry-after': String(dice.between(1, 90)) } },
    { status: 429 },
    { status: 500 },
    { status: 503 },
    { status: 0, isCut: true },
    // The work is done, and nobody hears of it.
    { status: 200, isCut: true },
  ]);
}
