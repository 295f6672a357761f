/**
 * Every call of every story is once the last one of its process, before it and after it. CRASH_POINT names one such point, CRASH_STORY
 * one story, CRASH_SHARE (`2/5`) the second of five shares.
 */
import { createDice } from '../../test/scenarios/chaos/dice.ts';
import {
  listPoints,
  nameOf,
  openTheatre,
  type Point,
  readPoint,
  type Theatre,
} from '../../test/scenarios/crash-points/run-point.ts';
import { STORIES, type Story } from '../../test/scenarios/crash-points/stories.ts';
import { prepareRun } from '../../test/support/runner/prepare-run.ts';

type Print = (line: string) => void;

const AT_ONCE = 4;
const SEED = 19;

export async function runCrashPoints(print: Print, only = process.env.CRASH_POINT): Promise<void> {
  const { variables, stop } = await prepareRun();
  const { DATABASE_URL_TEST: server, MIGRATED_DATABASE: migrated } = variables;
  if (!server || !migrated) throw new Error('The crash points need PostgreSQL: set DATABASE_URL_TEST.');
  const theatre = openTheatre(server, migrated);
  try {
    if (only !== undefined) await playOne(theatre, readPoint(only), print);
    else
      for (const story of STORIES)
        if ((process.env.CRASH_STORY ?? story.name) === story.name) await playAll(theatre, story, print);
  } finally {
    await theatre.close();
    await stop();
  }
}

async function playAll(theatre: Theatre, story: Story, print: Print): Promise<void> {
  const begunAt = Date.now();
  const clean = await theatre.play(story);
  report(clean.violations, `${story.name} without a crash`, print);
  const points = listPoints(story, clean.calls);
  const waiting = shareOf(points).values();
  let played = 0;
  let failed = 0;
  let unreached = 0;
  // Most of a play is waiting for answers.
  const playThem = async () => {
    for (const point of waiting) {
      played += 1;
      const isGood = await playOne(theatre, point, print);
      if (isGood === undefined) unreached += 1;
      if (isGood === false) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, playThem));
  const counts = Object.entries(clean.calls).map(([to, { length }]) => `${length} ${to}`);
  const seconds = Math.round((Date.now() - begunAt) / 1000);
  print(
    `${story.name}: of ${clean.total} calls these change something: ${counts.join(', ')}; ${played} of ${points.length} points played, ${failed} failed, ${unreached} not reached, ${seconds} s`,
  );
}

/** In an order of chance, so that a share is one of all of them. */
function shareOf(points: readonly Point[]): Point[] {
  const [share = 1, shares = 1] = (process.env.CRASH_SHARE ?? '').split('/').map(Number).filter(Boolean);
  const dice = createDice(SEED);
  return points
    .map((point) => ({ point, at: dice.roll() }))
    .sort((left, right) => left.at - right.at)
    .flatMap(({ point }, index) => (index % shares === share - 1 ? [point] : []));
}

/** Undefined where that call was never made. */
async function playOne(theatre: Theatre, point: Point, print: Print): Promise<boolean | undefined> {
  const name = nameOf(point);
  const { violations, calls, hasCrashed } = await theatre
    .play(point.story, point.last)
    .catch((error: unknown) => ({
      violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      calls: undefined,
      total: 0,
      hasCrashed: true,
    }));
  const call = calls?.[point.last.to][point.last.number - 1] ?? '';
  report(violations, `CRASH_POINT=${name} npm run soak (${call})`, print);
  if (violations.length > 0) return false;
  return hasCrashed ? true : undefined;
}

function report(violations: readonly string[], again: string, print: Print): void {
  if (violations.length === 0) return;
  print(again);
  for (const violation of violations) print(`  ${violation}`);
  process.exitCode = 1;
}
