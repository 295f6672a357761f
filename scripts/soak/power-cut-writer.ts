/**
 * Run as a process of its own: writes rows and makes checkpoints, and in the middle of one the power goes. Its arguments are the data
 * folder and a seed.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { Answer, Call } from '../../src/core/database/pglite/pglite-messages.ts';

const PAGE = 4_096;
const [, , directory = '', seed = '1'] = process.argv;
const folder = join(directory, 'pg');
const { fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } = fs;

/** What a file had in its pages, and how long it was, before what was written since its last sync. */
interface Unsynced {
  readonly size: number;
  readonly pages: Map<number, Buffer>;
}
const unsynced = new Map<number, Unsynced>();
/** A file under any name that it has had since. */
const descriptors = new Map<number, number>();
let stepsToCut = Number.POSITIVE_INFINITY;
let state = Number(seed) * 2_654_435_761;
/** Of a linear congruential generator: each seed cuts at the same place again. */
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

function remember(descriptor: number, from: number, length: number): void {
  const { ino, size } = fstatSync(descriptor);
  const file = unsynced.get(ino) ?? { size, pages: new Map<number, Buffer>() };
  unsynced.set(ino, file);
  if (!descriptors.has(ino)) descriptors.set(ino, openSync(`/proc/self/fd/${descriptor}`, 'r+'));
  for (let page = Math.floor(from / PAGE); page * PAGE < from + length; page += 1) {
    if (file.pages.has(page)) continue;
    const before = Buffer.alloc(PAGE);
    readSync(descriptors.get(ino) ?? descriptor, before, 0, PAGE, page * PAGE);
    file.pages.set(page, before);
  }
}

/** Each page that was not synced is as it was, as it is, or half of each. */
function cut(): never {
  for (const [ino, { size, pages }] of unsynced) {
    const descriptor = descriptors.get(ino) ?? 0;
    for (const [page, before] of pages) {
      const fate = random();
      const kept = fate < 0.4 ? 0 : fate < 0.7 ? PAGE : PAGE / 2;
      if (kept < PAGE) writeSync(descriptor, before, kept, PAGE - kept, page * PAGE + kept);
    }
    if (fstatSync(descriptor).size > size && random() < 0.5) ftruncateSync(descriptor, size);
  }
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process goes on after its end.');
}

function step(): void {
  stepsToCut -= 1;
  if (stepsToCut <= 0) cut();
}

const patched: Pick<typeof fs, 'writeSync' | 'fsyncSync'> = {
  writeSync: (descriptor: number, data: NodeJS.ArrayBufferView | string, ...rest: unknown[]) => {
    const [offset, length, position] = rest.map(Number);
    if (typeof data === 'string') return writeSync(descriptor, data);
    step();
    remember(descriptor, position ?? 0, length ?? data.byteLength);
    return writeSync(descriptor, data, offset ?? 0, length, position);
  },
  fsyncSync: (descriptor: number) => {
    step();
    unsynced.delete(fstatSync(descriptor).ino);
    fsyncSync(descriptor);
  },
};
Object.assign(fs, patched);
syncBuiltinESMExports();

const { compileEngine } = await import('../../src/core/database/pglite/pglite-thread.ts');
const { servePglite } = await import('../../src/core/database/pglite/pglite-worker.js');

fs.mkdirSync(folder, { recursive: true });
const { port1: port, port2 } = new MessageChannel();
servePglite(port2, { folder, engine: await compileEngine(), isEmpty: true });
const ask = (call: Call) =>
  new Promise<void>((resolve, reject) => {
    port.once('message', (answer: Answer) => ('error' in answer ? reject(answer.error) : resolve()));
    port.postMessage({ id: 1, call });
  });
const acknowledge = (acknowledged: number) =>
  new Promise<void>((resolve) => process.send?.({ acknowledged }, () => resolve()));

// The empty database was synced by handles, which are not counted here.
await ask({ text: 'select 1' });
unsynced.clear();
await ask({ text: 'create table public.kept (id integer primary key, body text not null)' });
let id = 0;
for (let round = 1 + Math.floor(random() * 3); round >= 0; round -= 1) {
  for (let rows = 20 + Math.floor(random() * 60); rows > 0; rows -= 1) {
    id += 1;
    const body = Array.from({ length: 1_000 }, () => Math.floor(random() * 36).toString(36)).join('');
    await ask({ text: 'insert into public.kept values ($1, $2)', params: [id, body] });
  }
  await ask({ text: 'update public.kept set body = reverse(body) where id % 3 = $1', params: [round] });
  await acknowledge(id);
  if (round === 0) stepsToCut = 1 + Math.floor(random() * 120);
  await ask({ text: 'checkpoint' });
}
cut();
