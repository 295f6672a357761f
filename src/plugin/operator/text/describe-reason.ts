/** The sentence of a reason in the words of the operators' pages. */
import { describeAction } from '../../actions/action-kinds.ts';
import type { Wording } from '../../reasons/define-reason.ts';
import { type Reason, sentenceOf } from '../../reasons/reason.ts';
import { describeCode, money } from './describe-code.ts';
import { describeEmail, describeState } from './describe-state.ts';
import { exactMoment } from './exact-moment.ts';

const EXACT: Wording = {
  name: (what, id) => `${what} ${id}`,
  moment: exactMoment,
  action: describeAction,
  code: describeCode,
  email: (template) => `“${describeEmail(template)}”`,
  money,
  state: describeState,
};

export type ReaderWording = Partial<Pick<Wording, 'name' | 'moment'>>;

export function describeReason(reason: Reason, wording: ReaderWording = {}): string {
  return sentenceOf(reason, { ...EXACT, ...wording });
}
