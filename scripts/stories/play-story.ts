/**
 * Plays a story on a Stripe test account, or on what takes its place, and notes what Stripe tells and shows of it. All of it
 * hangs on a test clock, and goes with it on every end.
 */
import { type DateTime, Duration, type DurationLike } from 'luxon';
import Stripe from 'stripe';
import type { Clock } from '../../src/core/base/clock.ts';
import { openSdk } from '../../src/plugin/clients/stripe-client.ts';
import type { StripeKey } from '../../src/plugin/settings/stripe-settings.ts';
import { productOf, removeEarlier } from '../../src/workbench/rehearse/earlier-rehearsals.ts';
import {
  openRehearsalClock,
  type RehearsalClock,
  requireTestMode,
  type Wait,
} from '../../src/workbench/rehearse/rehearsal-clock.ts';
import { createNotes, type Note } from './story-notes.ts';
import type { Play, PlayedStep } from './story-print.ts';

/** What a story is played with. */
export interface Stage {
  readonly stripe: Stripe;
  readonly clockId: string;
  readonly productId: string;
  /** Does something, waits until an event of this type tells of it, and notes what came of it. Undefined: Stripe refused. */
  step<T>(title: string, act: () => Promise<T>, until?: string): Promise<T | undefined>;
  pass(time: DurationLike, until?: string): Promise<void>;
}

export interface Story {
  readonly name: string;
  readonly about: string;
  readonly play: (stage: Stage) => Promise<void>;
}

export interface StoryOptions {
  readonly key: StripeKey;
  readonly clock: Clock;
  readonly wait: Wait;
  readonly signal: AbortSignal;
  /** Hears of each step when it begins. */
  readonly onStep?: (progress: string) => void;
  /** Named at the top of the print. */
  readonly place: string;
}

export async function playStory(story: Story, options: StoryOptions): Promise<Play> {
  const { key, clock, wait, signal, onStep = () => {} } = options;
  requireTestMode(key);
  const stripe = openSdk(key.stripe);
  const now = clock.now().startOf('second');
  await removeEarlier(stripe, now);
  const rehearsal = await openRehearsalClock(stripe, { now, wait, isKept: false });
  try {
    const productId = productOf(rehearsal.clockId);
    await stripe.products.create({ id: productId, name: 'Story of Payment Retry' });
    const steps: PlayedStep[] = [];
    const note = createNotes({ stripe, clockId: rehearsal.clockId, start: now, wait });
    const { pass, step } = createSteps({ rehearsal, start: now, signal, note, steps, onStep });
    await story.play({ stripe, clockId: rehearsal.clockId, productId, step, pass });
    const remarks = [`${options.place}, API version ${Stripe.API_VERSION}, ${now.toISODate()}`];
    return { story: story.name, remarks, steps };
  } finally {
    await rehearsal.clear();
  }
}

function createSteps(deps: {
  rehearsal: RehearsalClock;
  start: DateTime;
  signal: AbortSignal;
  note: Note;
  steps: PlayedStep[];
  onStep: (progress: string) => void;
}): Pick<Stage, 'step' | 'pass'> {
  const { rehearsal, signal, note, steps, onStep } = deps;
  let time = deps.start;
  const step: Stage['step'] = async (title, act, until) => {
    signal.throwIfAborted();
    const numbered = `${steps.length + 1}. ${title}`;
    onStep(numbered);
    const { value, lines } = await answerOf(act);
    // What was refused is not told of.
    const noted = await note(lines.length === 0 ? until : undefined);
    steps.push({ title: numbered, lines: [...lines, ...noted] });
    return value;
  };
  return {
    step,
    pass: async (duration, until) => {
      time = time.plus(duration);
      await step(
        `${Duration.fromDurationLike(duration).toHuman()} later`,
        () => rehearsal.advanceTo(time),
        until,
      );
    },
  };
}

/** A refusal is part of the story: it is noted, and the story goes on. */
async function answerOf<T>(act: () => Promise<T>): Promise<{ value?: T; lines: string[] }> {
  try {
    return { value: await act(), lines: [] };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError) || (error.statusCode ?? 500) >= 500) throw error;
    const { statusCode, type, code, decline_code: decline, param } = error;
    const parts = [statusCode, type, code, decline, param].filter((part) => part !== undefined);
    return { lines: [`answer  ${parts.join(' ')}`] };
  }
}
