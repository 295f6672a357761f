/** A customer's standing in a label and a sentence, for the console and the Stripe App. */

import type { Tone } from '../text/text-table.ts';
import type { Access } from './access.ts';
import type { CustomerState } from './customer-state.ts';

export interface CustomerStanding {
  readonly label: string;
  readonly tone: Tone;
  /** A sentence without its full stop. */
  readonly line: string;
}

type Facts = Pick<CustomerState, 'access' | 'failingSince' | 'stopped'>;

const LOST: Readonly<Partial<Record<Access['reason'], string>>> = {
  payment_failed: 'subscription not paid',
  canceled: 'subscription canceled',
  paused: 'subscription paused',
};

/** `day` formats a date for the reader. */
export function describeCustomer(
  { access, failingSince, stopped }: Facts,
  day: (iso: string) => string,
): CustomerStanding {
  const { allowed, until, reason } = access;
  const on = until === null ? '' : ` on ${day(until)}`;
  const lost = allowed ? undefined : LOST[reason];
  if (stopped) {
    const line = `Collection stopped on ${day(stopped.since)}: no charge and no email until you resume`;
    return { label: 'Collection stopped', tone: 'warn', line };
  }
  if (lost !== undefined) return { label: 'Lost access', tone: 'bad', line: `Lost access${on}: ${lost}` };
  if (failingSince !== null) {
    const runs = !allowed
      ? ''
      : until === null
        ? ', subscription still running'
        : `, access until ${day(until)}`;
    return { label: 'In recovery', tone: 'info', line: `In recovery since ${day(failingSince)}${runs}` };
  }
  const ends = allowed && until !== null ? `; access ends${on}, as requested` : '';
  return { label: 'Good standing', tone: 'good', line: `Every invoice is paid${ends}` };
}
