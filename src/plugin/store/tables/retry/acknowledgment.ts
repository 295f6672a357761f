import type { InstructedKind } from '../../../actions/action-kinds.ts';
import type { Reason } from '../../../reasons/reason.ts';

/** What an instruction is answered, as far as its fate is known when it arrives. */
export type Acknowledgment =
  | { readonly kind: 'known' | 'stop' }
  | { readonly kind: 'action'; readonly action: InstructedKind }
  | { readonly kind: 'no_action' | 'refused'; readonly reason: Reason };
