/** Starts PostgreSQL once for the whole run, unless DATABASE_URL_TEST names one, and makes an empty embedded database. Test
 * workers inherit the variables. */
import { tsImport } from 'tsx/esm/api';

export default async function setUp() {
  const { createDataTemplate } = await tsImport('./data-directory.ts', import.meta.url);
  const template = await createDataTemplate();
  process.env.EMPTY_DATA_DIR = template.directory;
  globalThis.removeDataTemplate = template.remove;
  const { findTestPostgres } = await tsImport('./postgres-server.ts', import.meta.url);
  const postgres = await findTestPostgres();
  if (!postgres) {
    process.stderr.write('PostgreSQL tests skipped: no DATABASE_URL_TEST and no postgres binary found\n');
    return;
  }
  process.env.DATABASE_URL_TEST = postgres.url;
  globalThis.stopTestPostgres = postgres.stop;
}
