import { readdir, readFile } from 'node:fs/promises';

export interface MigrationFile {
  readonly name: string;
  readonly sql: string;
}

/** The numbered SQL files of a folder, in order. In what hosts load, the build puts their texts here instead (`scripts/bundle.js`). */
export async function readMigrations(folder: URL): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({ name, sql: await readFile(new URL(name, folder), 'utf8') })),
  );
}
