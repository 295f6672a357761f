/** All that a person can do, in the order in which it is listed everywhere. Console, commands, HTTP API and Stripe App call these by name, and change things in no other way. */
import { cardUpdateUrl } from './card-update-url.ts';
import { forget } from './forget.ts';
import { handBack } from './hand-back.ts';
import type { Operation } from './operation.ts';
import { postpone } from './postpone.ts';
import { release } from './release.ts';
import { dismiss, replay } from './replay.ts';
import { retry } from './retry.ts';
import { sendEmailAgain } from './send-email-again.ts';
import { sendTestEmail } from './send-test-email.ts';
import { setAccount } from './set-account.ts';
import { stop } from './stop.ts';
import { resumeCollection, stopCollection } from './stop-collection.ts';
import { pause, resume } from './switch-effects.ts';
import { undo } from './undo.ts';

/** What an editor shows of each is its row's description. */
export const OPERATIONS = {
  /** Charge an invoice now, once, if every guard allows it. */
  retry,
  /** Pause charges and emails for an invoice until a given time. */
  postpone,
  /** Send the customer of an invoice the email about it again. */
  sendEmailAgain,
  /** Send one of the emails with sample values to an address of your own. */
  sendTestEmail,
  /** Stop collecting an invoice until you release it. */
  stop,
  /** Resume collecting an invoice. */
  release,
  /** Return invoices taken over in exclusive mode to Stripe's own retries. */
  handBack,
  /** Stop charges and emails for all of a customer's invoices until you resume. */
  stopCollection,
  /** Resume collecting a customer's invoices. */
  resumeCollection,
  /** Create a link to the page where a customer updates the card. */
  cardUpdateUrl,
  /** Erase a customer's personal data and stop collecting; amounts and outcomes stay. */
  forget,
  /** Repeat failed work: dead events, refused or unmapped records, instructions. */
  replay,
  /** Ignore refused records until they change in Stripe. */
  dismiss,
  /** Pause payments and emails; incoming events are still recorded. */
  pause,
  /** End a pause; overdue work is rechecked, then done. */
  resume,
  /** Undo a stop, release, postponement, pause or resume if nothing has changed since. */
  undo,
  /** Set a connected account's name, service key and callback token. */
  setAccount,
} as const;

export type OperationName = keyof typeof OPERATIONS;
/** What an operation of this name returns. */
export type ResultOf<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]['carryOut']>>;
/** What any of them returns. */
export type AnyResult = ResultOf<OperationName>;

/** The operation by its name alone. */
export function operationOf(name: OperationName): Operation<AnyResult> {
  // It parses its own parameters and reports only its own results.
  return OPERATIONS[name] as unknown as Operation<AnyResult>;
}

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

export const OPERATION_NAMES: readonly OperationName[] = Object.keys(OPERATIONS).filter(isOperation);
