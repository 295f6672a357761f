import type { DateTime } from 'luxon';
import type { InstructedEmail, InstructedKind } from '../../../actions/action-kinds.ts';
import type { Reason } from '../../../reasons/reason.ts';

/** An objection known before a payment's time. */
export interface PredictedObjection {
  readonly reason: Reason;
  /** When the objection ends; absent if the payment will not be made. */
  readonly until?: DateTime;
  readonly asksPerson?: true;
  /** The email to the customer instead of the payment. */
  readonly asks?: InstructedEmail;
}

export type Plan =
  | {
      readonly kind: 'action';
      readonly action: InstructedKind;
      readonly dueAt: DateTime;
      /** Why it will not happen as requested. */
      readonly predicted: PredictedObjection | undefined;
    }
  | { readonly kind: 'stop' }
  | { readonly kind: 'take_over' }
  | { readonly kind: 'no_action' | 'refused'; readonly reason: Reason };

/** Answer to an instruction, with its fate as known on arrival. */
export type Acknowledgment =
  | { readonly kind: 'known' }
  | {
      readonly kind: 'planned';
      readonly plan: Plan;
      /** The setting that leaves the invoice out. */
      readonly observedBy?: string | undefined;
      readonly isPaused?: boolean;
    };
