/** The disk of the embedded database is full for a while: what was acknowledged is there afterwards, and work goes on. Needs root (a tmpfs). */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDataDirectory } from '../../test/support/data-directory.ts';
import { withSoakSite } from './soak-site.ts';

const MEGABYTES = 256;
const SECONDS = 30;

export async function runFullDisk(print: (line: string) => void): Promise<void> {
  if (userInfo().uid !== 0) return print('full disk: skipped, as only root can mount a small one');
  const directory = newDataDirectory();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=0700`, 'tmpfs', directory]);
  const filler = join(directory, 'filler');
  try {
    await withSoakSite(
      { location: { kind: 'embedded', directory: join(directory, 'data') } },
      print,
      async (site) => {
        await site.start();
        await Promise.all(Array.from({ length: 3 }, () => site.work()));
        const bytes = fill(filler);
        const before = site.sandbox.state.deliveries.filter(({ status }) => status === 503).length;
        const asked = Array.from({ length: 5 }, () => site.work());
        await sleep(SECONDS * 1000);
        const refused = site.sandbox.state.deliveries.filter(({ status }) => status === 503).length - before;
        rmSync(filler);
        const code = site.process().code();
        print(
          `full disk: the last ${Math.round(bytes / 1e6)} MB of ${MEGABYTES} taken for ${SECONDS} s; ${refused} webhooks answered 503; the process ${code === undefined ? 'went on' : `ended with ${code} and was started again`}`,
        );
        if (code !== undefined) await site.start();
        await Promise.all(asked);
        await Promise.all(Array.from({ length: 3 }, () => site.work()));
        print(`full disk: whole afterwards ${JSON.stringify(await site.expectWhole())}`);
      },
    );
  } finally {
    execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Until not one byte fits. */
function fill(path: string): number {
  const file = openSync(path, 'w');
  let total = 0;
  try {
    for (let part = Buffer.alloc(1024 * 1024); part.length > 0; )
      try {
        total += writeSync(file, part);
      } catch {
        part = part.subarray(0, Math.floor(part.length / 2));
      }
  } finally {
    closeSync(file);
  }
  return total;
}
