/** Starts PostgreSQL once for the whole run, unless DATABASE_URL_TEST names one. Test workers inherit the variable. */
import { tsImport } from 'tsx/esm/api';

export default async function setUp() {
  const { findTestPostgres } = await tsImport('./postgres-server.ts', import.meta.url);
  const postgres = await findTestPostgres();
  if (!postgres) {
    process.stderr.write('PostgreSQL tests skipped: no DATABASE_URL_TEST and no postgres binary found\n');
    return;
  }
  process.env.DATABASE_URL_TEST = postgres.url;
  globalThis.stopTestPostgres = postgres.stop;
}
