/** `prepare-part.ts PART FOLDER`, started by `prepared.ts`. */
import { cpSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { z } from 'zod';
import { openEmbedded } from '../../../src/core/database/embedded-database.ts';
import { migrateAll } from '../../../src/plugin/app/migrate-all.ts';
import { compilePrograms } from '../process/compiled-program.ts';
import { packPackage } from '../process/installed-package.ts';
import { findPrepared, type Part } from './prepared.ts';

// As the program has it.
setFlagsFromString('--wasm-tiering-budget=500000000');

const MAKE: Readonly<Record<Part, (folder: string) => Promise<void>>> = {
  empty: async (folder) => (await openEmbedded(folder)).close(),
  migrated: async (folder) => {
    const empty = findPrepared('empty');
    if (empty) cpSync(empty, folder, { recursive: true });
    await migrateAll({ kind: 'embedded', directory: folder });
  },
  programs: compilePrograms,
  package: packPackage,
};

const [part, folder] = z
  .tuple([z.enum(['empty', 'migrated', 'programs', 'package']), z.string()])
  .parse(process.argv.slice(2));
await MAKE[part](folder);
