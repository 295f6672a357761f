/**
 * The power goes while the embedded database works and makes checkpoints: what was not synced is lost or torn, page by page, as a disk
 * may do. Everything acknowledged is there when the folder is opened again.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '../../src/core/database/embedded-database.ts';

const PROGRAM = fileURLToPath(new URL('./power-cut-writer.ts', import.meta.url));

interface Told {
  readonly acknowledged: number;
}

export async function runPowerCuts(print: (line: string) => void, cuts: number, seed: number): Promise<void> {
  let rows = 0;
  for (let cut = 0; cut < cuts; cut += 1) {
    const directory = mkdtempSync(join(tmpdir(), 'payment-retry-power-'));
    try {
      rows += await cutOnce(directory, seed + cut);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  print(`power: ${cuts} cuts at checkpoints, ${rows} acknowledged rows, none lost`);
}

async function cutOnce(directory: string, seed: number): Promise<number> {
  const child: ChildProcess = fork(PROGRAM, [directory, String(seed)], { execArgv: ['--import', 'tsx'] });
  let last = 0;
  child.on('message', (told: Told) => {
    last = told.acknowledged;
  });
  await once(child, 'exit');
  const database = await openEmbedded(directory);
  try {
    const [found] = await database.query<{ count: number; last: number; sum: number }>(
      'select count(*) as count, max(id) as last, sum(length(body))::float8 as sum from public.kept where id <= $1',
      [last],
    );
    if (last === 0 || found?.count !== last || found.sum !== last * 1_000)
      throw new Error(`Cut ${seed}: ${last} rows were acknowledged, and there are ${JSON.stringify(found)}.`);
    await database.query('create index on public.kept (body)');
    return last;
  } finally {
    await database.close();
  }
}
