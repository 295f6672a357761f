/**
 * Run as a process of its own: counts the calls of fsync that one committed row causes, by the file they reach. Its
 * first argument is the data folder; the answer is one line of JSON.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const synced: number[] = [];
const realSync = fs.fsyncSync;
fs.fsyncSync = (descriptor) => {
  synced.push(fs.fstatSync(descriptor).ino);
  realSync(descriptor);
};
syncBuiltinESMExports();

const { openEmbedded } = await import('../../../src/store/engine/embedded-database.ts');

const directory = process.argv[2] ?? '';
const database = await openEmbedded(directory);
await database.exec('create table public.kept (id integer)');
const wal = new Set(
  fs
    .readdirSync(`${directory}/pg/pg_wal`, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.statSync(`${directory}/pg/pg_wal/${entry.name}`).ino),
);
synced.length = 0;
await database.query('select 1');
const byReading = synced.length;
await database.query('insert into public.kept values (1)');
const byWriting = synced.filter((inode) => wal.has(inode)).length;
await database.close();
process.stdout.write(JSON.stringify({ byReading, byWriting }));
