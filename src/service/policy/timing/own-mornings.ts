/**
 * The time of the morning that a case keeps. Everybody's pay day is the same one: at nine sharp, all who wait for it would be
 * due in one second.
 */
import { listMornings, zoneNamed } from '../calendar/local-time.ts';
import type { PaymentCase } from '../payment-case.ts';
import type { Morning } from './explanations.ts';
import { chanceOf } from './static-schedule.ts';

export const MORNING_MINUTES = 90;

/** Later than one moment and no later than another, in milliseconds: the same minute and second on each morning. */
export function listOwnMornings(
  { id, zone }: Pick<PaymentCase, 'id' | 'zone'>,
  { after, until }: { readonly after: number; readonly until: number },
): Morning[] {
  return listMornings(zoneNamed(zone), { after, until, afterNineMs: ownDelayMs(id) });
}

/** The delay after nine, in whole seconds, as an instruction is written. */
function ownDelayMs(id: string): number {
  return Math.floor(chanceOf(`morning ${id}`) * MORNING_MINUTES * 60) * 1000;
}
