/** A payment method in the phases of a subscription schedule: an update states the current phase and all later ones in full (stripe-facts 2.10). */
import type Stripe from 'stripe';
import { idOf } from '../../clients/chosen-methods.ts';

type Update = Pick<Stripe.SubscriptionScheduleUpdateParams, 'phases' | 'default_settings'>;
type Phase = Stripe.SubscriptionScheduleUpdateParams.Phase;

/** What Stripe answers about a phase and does not take back. */
const ONLY_IN_ANSWERS: ReadonlySet<string> = new Set(['plan', 'disabled_reason']);

/** The update that puts one method in the place of another; undefined where the schedule does not name it for any time to come. */
export function replaceMethod(
  { phases, current_phase: current, default_settings: settings }: Stripe.SubscriptionSchedule,
  { from, to }: { from: string; to: string },
): Update | undefined {
  const ahead = phases.filter(({ start_date: start }) => start >= (current?.start_date ?? 0));
  const named = ahead.filter((phase) => idOf(phase.default_payment_method) === from);
  const isDefault = idOf(settings.default_payment_method) === from;
  if (named.length === 0 && !isDefault) return undefined;
  return {
    ...(isDefault ? { default_settings: { default_payment_method: to } } : {}),
    phases: ahead.map((phase) => ({
      // The names and shapes of an answer and of a request are the same here, but for what `restate` changes.
      ...(restate(phase) as Phase),
      ...(named.includes(phase) ? { default_payment_method: to } : {}),
    })),
  };
}

/** Objects of their own by their ids, and nothing where there is nothing. */
function restate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restate);
  if (typeof value !== 'object' || value === null) return value;
  if ('object' in value && 'id' in value) return value.id;
  const given = Object.entries(value).filter(([name, own]) => own !== null && !ONLY_IN_ANSWERS.has(name));
  return Object.fromEntries(given.map(([name, own]) => [name, name === 'metadata' ? own : restate(own)]));
}
