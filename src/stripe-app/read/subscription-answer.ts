import type { AnswerDeps, Asked } from '../define-request.ts';
import { listCases } from './open-cases.ts';

export async function answerSubscription(
  deps: AnswerDeps,
  { account }: Asked,
  { id }: { id: string },
): Promise<object> {
  return { id, cases: await listCases(deps, { account, subscription: id }) };
}
