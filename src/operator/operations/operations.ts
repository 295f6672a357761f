/** All that a person can do, in the order in which it is listed everywhere. Console, commands, HTTP API and Stripe App call these by name, and change things in no other way. */
import { cardUpdateUrl } from './card-update-url.ts';
import { forget } from './forget.ts';
import { handBack } from './hand-back.ts';
import type { Operation } from './operation.ts';
import { postpone } from './postpone.ts';
import { release } from './release.ts';
import { dismiss, replay } from './replay.ts';
import { retry } from './retry.ts';
import { sendMailAgain } from './send-mail-again.ts';
import { setAccount } from './set-account.ts';
import { stop } from './stop.ts';
import { pause, resume } from './switch-effects.ts';

export const OPERATIONS = {
  retry,
  postpone,
  sendMailAgain,
  stop,
  release,
  replay,
  dismiss,
  handBack,
  cardUpdateUrl,
  forget,
  pause,
  resume,
  setAccount,
} as const;

export type OperationName = keyof typeof OPERATIONS;
/** What an operation of this name returns. */
export type ResultOf<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]['carryOut']>>;
/** What any of them returns. */
export type AnyResult = ResultOf<OperationName>;

/** For callers that know the name alone. */
export function operationOf(name: OperationName): Operation<AnyResult> {
  // Its parameters are parsed by itself, and it tells of its own results alone.
  return OPERATIONS[name] as unknown as Operation<AnyResult>;
}

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

export const OPERATION_NAMES: readonly OperationName[] = Object.keys(OPERATIONS).filter(isOperation);
