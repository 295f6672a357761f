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
import { undo } from './undo.ts';

/** What an editor shows of each is its row's description. */
export const OPERATIONS = {
  /** Charge an invoice now, once, if every guard lets it pass. */
  retry,
  /** Neither charge nor mail about an invoice until a time, whatever the service asks. */
  postpone,
  /** Send the customer of an invoice the mail about it once more. */
  sendMailAgain,
  /** Stop collecting an invoice until it is released, whatever the service asks. */
  stop,
  /** Follow new instructions for an invoice again, whatever stood against its collection until now. */
  release,
  /** Process dead events, deliver refused records, read unmapped ones or plan failed instructions once more. */
  replay,
  /** Set refused records aside for good, until they change. */
  dismiss,
  /** Give invoices taken over in exclusive mode back to Stripe's own retries: these, or all. */
  handBack,
  /** Make a link to the page on which a customer gives another card. */
  cardUpdateUrl,
  /** Erase the personal data of a customer and stop collecting from them; amounts, outcomes and codes stay. */
  forget,
  /** Kill switch: pay, mail and change nothing at Stripe until `resume`; what comes in is kept. */
  pause,
  /** End a pause; what waited happens by the rules of that moment. */
  resume,
  /** Undo a stop, release, postpone, pause or resume, while nothing else has changed about it since. */
  undo,
  /** Set a connected account's name, and its own service key and callback token. */
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
