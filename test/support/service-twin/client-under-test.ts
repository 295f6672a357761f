/** A client of the retry service, as what checks it sees it: somebody tells it what happens, and sees what it does. */
import type { DateTime, Duration } from 'luxon';
import type { Check, Fault } from '../../../src/workbench/check-service/check-report.ts';
import { SENTENCES, type SentenceId } from '../../../src/workbench/check-service/contract-sentences.ts';
import type { Twin } from './twin-service.ts';

export interface ClientUnderTest {
  now(): DateTime;
  /** A new subscription, or a change of one, whose `businessEntity` is this mark from then on. Gives its id. */
  change(mark: string, id?: string): Promise<string>;
  /** An invoice whose payment failed, and whose next payment succeeds. */
  failInvoice(): Promise<FailedInvoice>;
  /** How often an instruction for it was carried out. */
  timesCarriedOut(invoiceId: string): number;
  /** Lets time pass until it is so; false after the longest wait. */
  until(isSo: () => boolean): Promise<boolean>;
  /** As long as a repetition would take. */
  stayQuiet(): Promise<void>;
  /** So far ahead lies the time of an instruction. */
  readonly soon: Duration;
}

export interface FailedInvoice {
  readonly invoiceId: string;
  readonly subscriptionId: string;
}

/** What a way is played on. */
export interface Stage {
  readonly twin: Twin;
  readonly client: ClientUnderTest;
  /** From 0 to 1; follows from the seed. */
  readonly uniform: () => number;
}

export interface Way {
  readonly title: string;
  /** `must` without it. */
  readonly level?: Check<Stage>['level'];
  /** The sentence of the contract that it is of. */
  readonly of: SentenceId;
}

/** The check that a way is; a fault says what the contract has of it. */
export const toCheck = <Played extends Way>(
  about: string,
  way: Played,
  play: (stage: Stage, way: Played) => Promise<Fault>,
): Check<Stage> => ({
  about,
  of: way.of,
  title: way.title,
  level: way.level ?? 'must',
  run: async (stage) => {
    stage.twin.reset();
    const fault = await play(stage, way);
    return fault && `${fault}. The contract: ${SENTENCES[way.of].says}`;
  },
});

/** Each of the items in turn, and then none. */
export function inTurn<Item>(items: readonly Item[]): () => Item | undefined {
  const left = [...items];
  return () => left.shift();
}

export function judgeOnce(client: ClientUnderTest, invoiceId: string): Fault {
  const times = client.timesCarriedOut(invoiceId);
  if (times === 1) return undefined;
  return times === 0
    ? `the instruction for ${invoiceId} was not carried out`
    : `it was carried out ${times} times for ${invoiceId}`;
}
