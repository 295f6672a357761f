import type { DateTime } from 'luxon';
import type { InstructedKind, InstructedMail } from '../../../actions/action-kinds.ts';
import type { Reason } from '../../../reasons/reason.ts';

/** An objection that is known before the time of a payment. */
export interface Foreseen {
  readonly reason: Reason;
  /** The time from which nothing is known to object; absent where the payment will not be made. */
  readonly until?: DateTime;
  /** It waits for a person. */
  readonly asksPerson?: true;
  /** The email to the customer that takes the payment's place. */
  readonly asks?: InstructedMail;
}

/** What an instruction leads to. */
export type Plan =
  | {
      readonly kind: 'action';
      readonly action: InstructedKind;
      readonly dueAt: DateTime;
      /** Why it will not happen as asked. */
      readonly foreseen: Foreseen | undefined;
    }
  | { readonly kind: 'stop' }
  | { readonly kind: 'take_over' }
  | { readonly kind: 'no_action' | 'refused'; readonly reason: Reason };

/** What an instruction is answered, as far as its fate is known when it arrives. */
export type Acknowledgment =
  | { readonly kind: 'known' }
  | { readonly kind: 'planned'; readonly plan: Plan; readonly isObserved: boolean };
