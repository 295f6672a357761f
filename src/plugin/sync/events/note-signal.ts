import { z } from 'zod';
import { adoptEvaluation } from '../../store/tables/retry/signals.ts';
import { eventObject } from './event-object.ts';
import type { AskingStep } from './event-step.ts';

/** The object is not used. Its permission is not documented (stripe-facts 4.6). */
export const EVALUATION = eventObject([], z.unknown());

/** Stripe's retry signal recommends a retry: it is read and followed if the invoice allows it (stripe-facts 4.6). */
export const noteSignal: AskingStep = async (deps, { account, event }) => {
  const recommended = await deps.stripe.findRecommended(account, event.id);
  if (!recommended) return { result: { code: 'no_signal_asked' } };
  return {
    result: { code: 'signal_noted', evaluationId: recommended.evaluationId },
    apply: async (tx) => {
      const key = await adoptEvaluation(tx, account, recommended);
      if (key) await deps.enqueue('follow-signal', [{ data: key, key: `${account} ${key.invoiceId}` }], tx);
    },
  };
};
