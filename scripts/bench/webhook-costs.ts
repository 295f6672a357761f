/** The CPU of a webhook, kept run by run in `webhook-costs.jsonl`, so that a change that makes it dearer is noticed. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { DateTime } from 'luxon';

/** Microseconds by the name of a side; the first one is bare Express. */
export type Costs = Readonly<Record<string, number>>;

const FILE = new URL('webhook-costs.jsonl', import.meta.url);
const GROWTH = 1.1;

/** Sides that cost a tenth more than before, in parts of the bare webhook of their run: two machines differ in microseconds. */
export function findGrown(before: Costs, now: Costs): string[] {
  const parts = (costs: Costs, name: string) => (costs[name] ?? Number.NaN) / (Object.values(costs)[0] ?? 0);
  return Object.keys(now).flatMap((name) => {
    const [was, is] = [parts(before, name), parts(now, name)];
    return is >= was * GROWTH ? [`${name}: ${was.toFixed(2)} → ${is.toFixed(2)} times a bare webhook`] : [];
  });
}

/** Adds a run to the file. Returns what has grown since the one before. */
export function keepCosts(microseconds: Costs): string[] {
  const before = readFileSync(FILE, 'utf8').trim().split('\n').at(-1) ?? '';
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const run = { date: DateTime.utc().toISODate(), commit, node: process.version, microseconds };
  appendFileSync(FILE, `${JSON.stringify(run)}\n`);
  return findGrown(JSON.parse(before).microseconds, microseconds);
}
