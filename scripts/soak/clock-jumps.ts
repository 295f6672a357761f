/** The clock of the process jumps while webhooks come and retries fall due, by libfaketime; Stripe's and the services' stay right. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDataDirectory } from '../../test/support/database/data-directory.ts';
import { FAKE_TIME_LIBRARY, fakeTimeOf, setFakeTime } from './fake-time.ts';
import { type SoakSite, withSoakSite } from './soak-site.ts';

/** What the clock is off by, in hours, one after the other: each change is a jump in the middle of work. */
const JUMPS = [-3, 0, 1, 0] as const;
const SECONDS = 10;

export async function runClockJumps(print: (line: string) => void): Promise<void> {
  if (!existsSync(FAKE_TIME_LIBRARY))
    return print('clock: skipped, as libfaketime is not installed (apt: faketime)');
  const directory = newDataDirectory();
  const file = join(directory, 'clock');
  try {
    await withSoakSite(
      {
        location: { kind: 'embedded', directory: join(directory, 'data') },
        settings: fakeTimeOf(file),
      },
      print,
      async (site) => {
        setFakeTime(file, JUMPS[0] * 3600);
        await site.start();
        const asked: Promise<string>[] = [];
        for (const hours of JUMPS) {
          asked.push(...Array.from({ length: 4 }, () => site.work()));
          await sleep(1000);
          setFakeTime(file, hours * 3600);
          asked.push(...Array.from({ length: 4 }, () => site.work()));
          await sleep(SECONDS * 1000);
          print(
            `clock: ${hours} h off, the process says ${await hoursOff(site)} h; webhooks ${answersOf(site)}`,
          );
        }
        await Promise.all(asked);
        // What was to be paid hours later, by the clock of then, may have been put off by the retry service meanwhile.
        print(`clock: whole afterwards ${JSON.stringify(await site.expectWhole())}`);
      },
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
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
