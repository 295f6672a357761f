/**
 * Run as a process of its own: counts the calls of fsync that one committed row causes, by the file they reach. It has
 * what the database's thread runs on a thread whose calls it can count. Its first argument is the data folder; the answer
 * is one line of JSON.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { MessageChannel } from 'node:worker_threads';
import type { Answer } from '../../../src/core/database/pglite/pglite-messages.ts';

// As the program has it.
setFlagsFromString('--wasm-tiering-budget=500000000');

const synced: number[] = [];
const realSync = fs.fsyncSync;
fs.fsyncSync = (descriptor) => {
  synced.push(fs.fstatSync(descriptor).ino);
  realSync(descriptor);
};
syncBuiltinESMExports();

const { compileEngine } = await import('../../../src/core/database/pglite/pglite-thread.ts');
const { servePglite } = await import('../../../src/core/database/pglite/pglite-worker.js');

const folder = process.argv[2] ?? '';
fs.mkdirSync(folder, { recursive: true });
const { port1: port, port2 } = new MessageChannel();
const engine = await compileEngine();
servePglite(port2, { folder, engine, isEmpty: fs.readdirSync(folder).length === 0 });

const ask = (call?: { text: string; params?: unknown[] }) =>
  new Promise<void>((resolve, reject) => {
    port.once('message', (answer: Answer) => ('error' in answer ? reject(answer.error) : resolve()));
    port.postMessage({ id: 1, ...(call && { call }) });
  });

await ask({ text: 'create table public.kept (id integer)' });
const wal = new Set(
  fs
    .readdirSync(`${folder}/pg_wal`, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.statSync(`${folder}/pg_wal/${entry.name}`).ino),
);
synced.length = 0;
await ask({ text: 'select 1', params: [] });
const byReading = synced.length;
await ask({ text: 'insert into public.kept values (1)', params: [] });
const byWriting = synced.filter((inode) => wal.has(inode)).length;
await ask();
port.close();
process.stdout.write(JSON.stringify({ byReading, byWriting }));
