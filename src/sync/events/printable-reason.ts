import { type Reason, readReason } from '../../store/reasons/reason.ts';
import { printableText } from '../map/printable-text.ts';

/** A reason whose parameters are safe to store: what Stripe sent may be among them. */
export function printableReason(reason: Reason): Reason {
  const entries = Object.entries(reason).map(([name, value]) => [
    name,
    typeof value === 'string' ? (printableText(value) ?? '') : value,
  ]);
  return readReason(Object.fromEntries(entries));
}
