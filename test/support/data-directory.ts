/** Directories for the embedded database that it opens in a moment: making one anew takes it three seconds. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../src/store/embedded-database.ts';

/** Set by `jest-setup.js`: a directory whose database is as good as new. */
const template = process.env.EMPTY_DATA_DIR;

/** A new directory with an empty database. The caller removes it. */
export function newDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-data-'));
  if (template) cpSync(template, directory, { recursive: true });
  return directory;
}

export interface DataTemplate {
  readonly directory: string;
  remove(): void;
}

export async function createDataTemplate(): Promise<DataTemplate> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-template-'));
  const database = await openEmbedded(directory);
  await database.close();
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
