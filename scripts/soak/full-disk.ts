/** The disk of the embedded database is full for a while: what was acknowledged is there afterwards, and work goes on. Needs a tmpfs. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDataDirectory } from '../../test/support/database/data-directory.ts';
import { withSoakSite } from './soak-site.ts';

const MEGABYTES = 256;
const SECONDS = 30;

/** Only root can, and not in every container. */
export function canMount(): boolean {
  const directory = newDataDirectory();
  try {
    mount(directory);
    execFileSync('umount', [directory]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function mount(directory: string): void {
  const options = `size=${MEGABYTES}m,mode=0700`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory], { stdio: 'ignore' });
}

export async function runFullDisk(print: (line: string) => void, seconds = SECONDS): Promise<void> {
  if (!canMount()) return print('full disk: skipped, as a small one cannot be mounted here');
  const directory = newDataDirectory();
  mount(directory);
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
        await sleep(seconds * 1000);
        const refused = site.sandbox.state.deliveries.filter(({ status }) => status === 503).length - before;
        rmSync(filler);
        const code = site.process().code();
        print(
          `full disk: the last ${Math.round(bytes / 1e6)} MB of ${MEGABYTES} taken for ${seconds} s; ${refused} webhooks answered 503; the process ${code === undefined ? 'went on' : `ended with ${code} and was started again`}`,
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
