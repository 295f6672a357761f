/** The clock of the process jumps while webhooks come and retries fall due, by libfaketime; Stripe's and the services' stay right. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseLocation } from '../../src/core/database/database.ts';
import { newDataDirectory } from '../../test/support/database/data-directory.ts';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { FAKE_TIME_LIBRARY, fakeTimeOf, setFakeTime } from './fake-time.ts';
import { type SoakSite, withSoakSite } from './soak-site.ts';

/**
 * What the clock is off by, in hours, one after the other: each change is a jump in the middle of work. On PostgreSQL the process goes by
 * the database's clock, so that no webhook is refused, whatever its machine says.
 */
const JUMPS = { embedded: [-3, 0, 1, 0], postgres: [2 / 3, 24, -24, 0] } as const;
const SECONDS = 10;

export async function runClockJumps(print: (line: string) => void): Promise<void> {
  if (!existsSync(FAKE_TIME_LIBRARY))
    return print('clock: skipped, as libfaketime is not installed (apt: faketime)');
  const directory = newDataDirectory();
  const postgres = await findTestPostgres();
  try {
    await jump({ kind: 'embedded', directory: join(directory, 'data') }, join(directory, 'clock'), print);
    if (!postgres) return print('clock: not on PostgreSQL, which this machine has not got');
    await jump({ kind: 'postgres', url: await postgres.createDatabase() }, join(directory, 'clock'), print);
  } finally {
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function jump(location: DatabaseLocation, file: string, print: (line: string) => void): Promise<void> {
  const { kind } = location;
  await withSoakSite({ location, settings: fakeTimeOf(file) }, print, async (site) => {
    setFakeTime(file, JUMPS[kind][0] * 3600);
    await site.start();
    const asked: Promise<string>[] = [];
    for (const hours of JUMPS[kind]) {
      asked.push(...Array.from({ length: 4 }, () => site.work()));
      await sleep(1000);
      setFakeTime(file, hours * 3600);
      asked.push(...Array.from({ length: 4 }, () => site.work()));
      await sleep(SECONDS * 1000);
      print(
        `clock: ${kind}, ${hours.toFixed(1)} h off, the process says ${await hoursOff(site)} h; ready ${await readiness(site)}; webhooks ${answersOf(site)}`,
      );
    }
    await Promise.all(asked);
    // What was to be paid hours later, by the clock of then, may have been put off by the retry service meanwhile.
    print(`clock: ${kind}, whole afterwards ${JSON.stringify(await site.expectWhole())}`);
  });
}

async function readiness(site: SoakSite): Promise<string> {
  return (await fetch(`${site.url()}/readyz`)).text();
}

/** By the header that Node gives every answer. */
async function hoursOff(site: SoakSite): Promise<number> {
  const response = await fetch(`${site.url()}/healthz`);
  await response.body?.cancel();
  const date = Date.parse(response.headers.get('date') ?? '');
  return Math.round((date - Date.now()) / 360_000) / 10;
}

function answersOf(site: SoakSite): string {
  const counts: Record<string, number> = {};
  for (const { status } of site.sandbox.state.deliveries)
    counts[String(status)] = (counts[String(status)] ?? 0) + 1;
  return JSON.stringify(counts);
}
