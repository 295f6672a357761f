/** The commands; docs/reference/commands.md is tested against them. Each is loaded when it runs. */

import { z } from 'zod';
import { wordsOf } from '../core/base/command-options.ts';
import type { CommandGroup } from '../plugin/app/commands/command-row.ts';
import type { StoreCommandRow } from '../plugin/app/commands/store-command.ts';
import type { CommandEntry } from './command-entry.ts';
import { inLittleMemory } from './process/in-little-memory.ts';
import { SETUP_COMMANDS } from './setup-commands.ts';

const demoOptions = z.object({ keep: z.boolean().optional() });

const OTHERS: readonly CommandEntry[] = [
  {
    name: 'demo',
    group: 'Try',
    isHidden: true,
    description: 'play weeks of a shop with failing customers',
    options: [['--keep', 'keep the console open at the end']],
    environment: 'nothing',
    examples: ['demo', 'demo --keep'],
    run: async (_args, options) =>
      demoOptions.parse(options).keep
        ? (await import('../workbench/demo/run-demo.ts')).runKeptDemo()
        : (await import('../workbench/demo/run-demo.ts')).runDemo(),
  },
  {
    name: 'playground',
    group: 'Try',
    description: 'run a simulated shop with the plugin in your browser',
    options: [['--port <n>', 'the port of the page (12111)']],
    environment: 'nothing',
    examples: ['playground', 'playground --port 8090'],
    run: async (_args, options) => (await import('./sandbox-command.ts')).runPlaygroundCommand(options),
  },
  {
    name: 'db migrate',
    group: 'Keep the data',
    description: 'update the database to this version and exit',
    options: [['--dry-run', 'list the pending migrations and change nothing']],
    environment: 'database',
    examples: ['db migrate', 'db migrate --dry-run', 'DATABASE_URL=postgres://… db migrate'],
    run: async (_args, options) => (await import('./migrate-command.ts')).runMigrate(options),
  },
  {
    name: 'db export <file>',
    group: 'Keep the data',
    description: 'export the whole database to a file; stop all processes first',
    environment: 'database',
    examples: ['db export /backups/payment-retry.gz'],
    exitCodes: { 0: 'the file is complete', 1: 'the file is not complete; run it again' },
    run: async (args) => (await import('./move-commands.ts')).runExport(args),
  },
  {
    name: 'db import <file>',
    group: 'Keep the data',
    description: 'import an exported file, of this or an older version, into an empty database',
    environment: 'database',
    examples: ['DATABASE_URL=postgres://… db import /backups/payment-retry.gz'],
    exitCodes: { 0: 'everything was imported', 1: 'the import did not finish; run it again' },
    run: async (args) => (await import('./move-commands.ts')).runImport(args),
  },
  {
    name: 'mcp',
    group: 'Operate',
    description: 'serve an AI assistant over the Model Context Protocol (stdio)',
    options: [
      ['--url <url>', 'the address of the running plugin (PUBLIC_URL)'],
      ['--allow-writes', 'offer operations, too; needs OPERATOR_TOKEN'],
      ['--by <name>', "your name for the audit (this system's user)"],
    ],
    environment: 'api',
    examples: ['mcp', 'mcp --url https://billing.example.com', 'mcp --allow-writes --by ada'],
    run: async (_args, options) => (await import('./mcp-command.ts')).runMcp(options),
  },
  {
    name: 'hash-password <name>',
    group: 'Set up and run',
    description: 'create an entry for CONSOLE_USERS from a password',
    options: [
      ['--role <name>', 'reader, operator or administrator (administrator)'],
      ['--totp', 'add a secret for an authenticator app, whose code is then required'],
    ],
    environment: 'nothing',
    examples: ['hash-password ada', 'hash-password ben --role reader --totp'],
    run: async (args, options) => (await import('./hash-password-command.ts')).runHashPassword(args, options),
  },
  {
    name: 'check-service <url> <key>',
    group: 'Try',
    description: 'test a retry service against the contract; writes test records',
    options: [
      ['--callback-port <port>', 'check callbacks, too; they must go to http://…:<port>/recovery_action'],
      ['--token <token>', 'the bearer token that callbacks must carry'],
      ['--wait <seconds>', 'the longest wait for a callback (120)'],
      ['--junit <file>', 'also write the results as JUnit XML'],
    ],
    environment: 'nothing',
    examples: [
      'check-service https://retry.example.com/api key_…',
      'check-service http://localhost:9000 key --junit results.xml',
    ],
    exitCodes: { 0: 'it keeps the contract', 1: 'it does not' },
    run: async (args, options) => (await import('./check-service-command.ts')).runCheckService(args, options),
  },
];

const GROUPS: readonly CommandGroup[] = ['Set up and run', 'Try', 'Operate', 'Keep the data'];

/** Commands that `start` and others run without loading those that work on the store. */
const OWN: readonly CommandEntry[] = [...SETUP_COMMANDS, ...OTHERS];

/** Lists all commands, or at least the one that the arguments name. */
export async function listCommands(args: readonly string[] = []): Promise<readonly CommandEntry[]> {
  const isCalled = ({ name }: CommandEntry) => `${args.join(' ')} `.startsWith(`${wordsOf(name)} `);
  if (OWN.some(isCalled)) return OWN;
  const { STORE_COMMANDS } = await import('../plugin/app/commands/store-commands.ts');
  const all = [...SETUP_COMMANDS, ...STORE_COMMANDS.map(toEntry), ...OTHERS];
  return GROUPS.flatMap((title) => all.filter(({ group }) => group === title));
}

/** Makes an entry that runs here, or in the process that has the embedded database open. */
function toEntry({
  isInLittleMemory,
  readArguments = (args) => args,
  ...row
}: StoreCommandRow): CommandEntry {
  const run: CommandEntry['run'] = async (args, options) =>
    (await import('./process/run-on-store.ts')).runOnStore(wordsOf(row.name), readArguments(args), options);
  return { ...row, run: isInLittleMemory ? inLittleMemory(run) : run };
}
