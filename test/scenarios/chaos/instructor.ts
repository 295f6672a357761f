/** The service's other half: asks by callback, late, twice and out of order, until it is told that it was heard. */
import type { Clock } from '../../../src/core/base/clock.ts';
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import type { PluginFleet } from '../../support/process/plugin-fleet.ts';
import type { Dice } from './dice.ts';
import { openInvoices, type Temper } from './life.ts';

export interface Instructor {
  /** Request ids that were answered with 200. */
  readonly acknowledged: ReadonlySet<string>;
  /** Decides on instructions for some of the open invoices. */
  think(): void;
  /** Sends what it decided on, and some of it once more. */
  send(): Promise<void>;
}

export interface InstructorDeps {
  readonly sandbox: Sandbox;
  readonly fleet: PluginFleet;
  readonly dice: Dice;
  readonly clock: Clock;
  readonly temper: Temper;
}

const SUGGESTIONS = ['RETRY', 'RETRY', 'RETRY', 'RETRY', 'CARD_CHANGE', 'UNSPECIFIED'] as const;

export function createInstructor({ sandbox, fleet, dice, clock, temper }: InstructorDeps): Instructor {
  const acknowledged = new Set<string>();
  let waiting: { requestId: string }[] = [];
  let count = 0;
  const howOften = () => (temper === 'greedy' ? dice.between(1, 4) : Number(dice.chance(0.8)));

  return {
    acknowledged,
    think: () => {
      for (const invoiceId of openInvoices(sandbox)) {
        for (let asked = howOften(); asked > 0; asked -= 1) {
          count += 1;
          const idealAt = clock.now().plus({ hours: dice.pick([-1, 0, 0, 3, 30]) });
          const suggestion = temper === 'greedy' ? 'RETRY' : dice.pick(SUGGESTIONS);
          const instruction = {
            requestId: `request_${count}`,
            invoiceId,
            actionSuggestion: `ACTION_SUGGESTION_${suggestion}`,
            idealRetryTime: idealAt.toISO(),
          };
          waiting.push(instruction, ...(dice.chance(0.3) ? [instruction] : []));
        }
      }
      // Out of order.
      waiting = waiting
        .map((one) => ({ one, at: dice.roll() }))
        .sort((left, right) => left.at - right.at)
        .map(({ one }) => one);
    },
    send: async () => {
      const now = waiting.splice(0, dice.between(0, waiting.length + 1));
      await Promise.all(
        now.map(async (instruction) => {
          const status = await fleet.instruct(instruction);
          if (status === 200) acknowledged.add(instruction.requestId);
          if (status !== 200 || dice.chance(0.15)) waiting.push(instruction);
        }),
      );
    },
  };
}
