/**
 * Every call of every story is once the last one of its process, before it and after it. CRASH_POINT names one such point, CRASH_STORY
 * one story, CRASH_SHARE (`2/5`) the second of five shares.
 */
import {
  listPoints,
  nameOf,
  openTheatre,
  type Point,
  readPoint,
  type Theatre,
} from '../../test/scenarios/crash-points/run-point.ts';
import { STORIES, type Story } from '../../test/scenarios/crash-points/stories.ts';
import { prepareRun } from '../../test/support/prepare-run.ts';

type Print = (line: string) => void;

const FAILED_SHOWN = 50;

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
  const [share = 1, shares = 1] = (process.env.CRASH_SHARE ?? '').split('/').map(Number).filter(Boolean);
  const points = listPoints(story, clean.calls).filter((_, index) => index % shares === share - 1);
  let failed = 0;
  let unreached = 0;
  for (const point of points) {
    const isGood = await playOne(theatre, point, print);
    if (isGood === undefined) unreached += 1;
    if (isGood === false) failed += 1;
    if (failed > FAILED_SHOWN) break;
  }
  const counts = Object.entries(clean.calls).map(([to, { length }]) => `${length} ${to}`);
  const seconds = Math.round((Date.now() - begunAt) / 1000);
  print(
    `${story.name}: ${counts.join(', ')}: ${points.length} points, ${failed} failed, ${unreached} not reached, ${seconds} s`,
  );
}

/** Undefined where that call was never made. */
async function playOne(theatre: Theatre, point: Point, print: Print): Promise<boolean | undefined> {
  const name = nameOf(point);
  const { violations, calls, hasCrashed } = await theatre
    .play(point.story, point.last)
    .catch((error: unknown) => ({
      violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      calls: undefined,
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
