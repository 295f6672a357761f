/** Directories for the embedded database that it opens in a moment: making one anew takes it three seconds. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../src/store/embedded-database.ts';

/** Set by `prepare-run.ts`: a directory whose database is as good as new, and one that a first start has prepared. */
const { EMPTY_DATA_DIR: empty, MIGRATED_DATA_DIR: migrated = empty } = process.env;

/** A new directory with an empty database. The caller removes it. */
export const newDataDirectory = (): string => copyOf(empty);

/** A new directory with a database that has all tables and queues (`migrated-database.ts`). The caller removes it. */
export const newMigratedDirectory = (): string => copyOf(migrated);

function copyOf(template: string | undefined): string {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-data-'));
  if (template) cpSync(template, directory, { recursive: true });
  return directory;
}

export interface DataTemplate {
  readonly directory: string;
  remove(): void;
}

/** One that copies are made of: an empty database, or the state of another directory. */
export async function createDataTemplate(from?: string): Promise<DataTemplate> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-template-'));
  if (from) cpSync(from, directory, { recursive: true });
  else await (await openEmbedded(directory)).close();
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
