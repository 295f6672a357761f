/** What the command line offers; the README's table is tested against it. */

import { resolve } from 'node:path';
import { z } from 'zod';
import { runKeptDemo } from '../sandbox/demo/keep-demo.ts';
import { runDemo } from '../sandbox/demo/run-demo.ts';
import { runSimulate } from '../sandbox/simulation/run-simulation.ts';
import type { CommandEntry } from './command-entry.ts';
import { runHashPassword } from './hash-password-command.ts';
import { runMigrate } from './migrate-command.ts';
import { runMoveDatabase } from './move-database-command.ts';
import { OPERATOR_COMMANDS } from './operator-commands.ts';
import { inLittleMemory } from './process/in-little-memory.ts';
import { runServed } from './process/run-served.ts';
import { runService } from './service-command.ts';
import { SETUP_COMMANDS } from './setup-commands.ts';
import { runStart } from './start-command.ts';

const demoOptions = z.object({ keep: z.boolean().optional() });

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    description: 'run the plugin as a server of its own',
    environment: 'settings',
    examples: ['start', 'PORT=80 start'],
    run: inLittleMemory(() => runStart()),
  },
  {
    name: 'service',
    description: 'run the retry service alone, for plugins that name it in RETRY_SERVICE_URL',
    environment: 'settings',
    examples: ['service'],
    run: () => runService(),
  },
  {
    name: 'demo',
    description: 'simulate a merchant with failing customers; needs no account and no settings',
    options: [['--keep', 'leave its console open afterwards, and say where']],
    environment: 'nothing',
    examples: ['demo', 'demo --keep'],
    run: (_args, options) => (demoOptions.parse(options).keep ? runKeptDemo() : runDemo()),
  },
  {
    name: 'backfill',
    description: 'read the existing data from Stripe, deliver it and exit; resumes where it stopped',
    options: [
      ['--months <n>', 'how far back invoices and payments are read (12)'],
      ['--account <id>', 'the connected account, if it is not your own'],
    ],
    environment: 'settings',
    examples: ['backfill', 'backfill --months 24'],
    exitCodes: { 0: 'everything was read and delivered', 1: 'something is left; run it again' },
    run: inLittleMemory((args, options) => runServed('backfill', args, options)),
  },
  ...SETUP_COMMANDS,
  {
    name: 'migrate',
    description: 'bring the database up to date and exit',
    environment: 'database',
    examples: ['migrate', 'DATABASE_URL=postgres://… migrate'],
    run: () => runMigrate(),
  },
  {
    name: 'backup <folder>',
    description: 'copy the embedded database into a new folder, also while the plugin works',
    environment: 'database',
    examples: ['backup /backups/2026-11-22'],
    exitCodes: { 0: 'the copy is whole', 1: 'the database is PostgreSQL: use pg_dump' },
    // The process that has the database open may run in another folder.
    run: ([folder = ''], options) => runServed('backup', [resolve(folder)], options),
  },
  {
    name: 'move-database',
    description: 'bring the embedded database of DATA_DIR to the empty PostgreSQL database of DATABASE_URL',
    environment: 'database',
    examples: ['move-database', 'DATA_DIR=./data DATABASE_URL=postgres://… move-database'],
    exitCodes: { 0: 'everything is there and the same', 1: 'it is not through; run it again' },
    run: () => runMoveDatabase(),
  },
  ...OPERATOR_COMMANDS,
  {
    name: 'hash-password <name>',
    description: "make an operator's entry for CONSOLE_USERS, from a password typed or piped in",
    environment: 'nothing',
    examples: ['hash-password ada'],
    run: (args) => runHashPassword(args),
  },
  {
    name: 'simulate',
    description: 'compare timing policies on simulated customers; needs no account and no settings',
    options: [
      ['--seed <number>', 'the first seed (1)'],
      ['--seeds <number>', 'how many seeds (2)'],
      ['--cases <number>', 'failed invoices a year, about (4800)'],
      ['--world <name>', 'D, R, another by its name, main, others or all (D)'],
      ['--out <folder>', 'write the tables and a plot there'],
    ],
    environment: 'nothing',
    examples: ['simulate --world main'],
    run: (_args, options) => runSimulate(options),
  },
];
