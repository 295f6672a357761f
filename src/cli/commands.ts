/** What the command line offers; docs/reference/commands.md is tested against it. Each command is loaded when it runs. */

import { z } from 'zod';
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
    description: 'simulate a merchant with failing customers; needs no account and no settings',
    options: [['--keep', 'leave its console open afterwards, and say where']],
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
    description:
      'run a simulated shop in the browser, with a clock, customers and their email; needs no account',
    options: [['--port <n>', 'where (12111)']],
    environment: 'nothing',
    examples: ['playground', 'playground --port 8090'],
    run: async (_args, options) => (await import('./sandbox-command.ts')).runPlaygroundCommand(options),
  },
  {
    name: 'migrate',
    group: 'Keep the data',
    description: 'bring the database up to date and exit',
    options: [['--dry-run', 'name what would be applied, and change nothing']],
    environment: 'database',
    examples: ['migrate', 'migrate --dry-run', 'DATABASE_URL=postgres://… migrate'],
    run: async (_args, options) => (await import('./migrate-command.ts')).runMigrate(options),
  },
  {
    name: 'export <file>',
    group: 'Keep the data',
    description: 'export the whole database to a file for `import`; stop all processes first',
    environment: 'database',
    examples: ['export /backups/payment-retry.gz'],
    exitCodes: { 0: 'the file is whole', 1: 'it is not; run it again' },
    run: async (args) => (await import('./move-commands.ts')).runExport(args),
  },
  {
    name: 'import <file>',
    group: 'Keep the data',
    description: 'import a file from `export`, of this or an older version, into an empty database',
    environment: 'database',
    examples: ['DATABASE_URL=postgres://… import /backups/payment-retry.gz'],
    exitCodes: { 0: 'everything is there and the same', 1: 'it did not finish; run it again' },
    run: async (args) => (await import('./move-commands.ts')).runImport(args),
  },
  {
    name: 'mcp',
    group: 'Operate',
    description:
      'answer an AI assistant from a running plugin, by the Model Context Protocol on standard input and output',
    options: [
      ['--url <url>', 'where the plugin runs (PUBLIC_URL)'],
      ['--allow-writes', 'offer the operations, too, which OPERATOR_TOKEN allows'],
      ['--by <name>', "your name for the audit (this system's user)"],
    ],
    environment: 'api',
    examples: ['mcp', 'mcp --url https://billing.example.com', 'mcp --allow-writes --by ada'],
    run: async (_args, options) => (await import('./mcp-command.ts')).runMcp(options),
  },
  {
    name: 'hash-password <name>',
    group: 'Set up and run',
    description: 'create an entry for CONSOLE_USERS from a password that you type or pipe in',
    options: [
      ['--role <name>', 'reader, operator or administrator (administrator)'],
      ['--totp', 'with a secret for an authenticator, whose code is asked for beside the password'],
    ],
    environment: 'nothing',
    examples: ['hash-password ada', 'hash-password ben --role reader --totp'],
    run: async (args, options) => (await import('./hash-password-command.ts')).runHashPassword(args, options),
  },
  {
    name: 'check-service <url> <key>',
    group: 'Try',
    description: 'test a retry service against the contract; writes test records into it',
    options: [
      [
        '--callback-port <port>',
        'look at its callbacks, too: it must send to http://…:<port>/recovery_action',
      ],
      ['--token <token>', 'the bearer token that its callbacks must carry'],
      ['--wait <seconds>', 'for a callback, at most (120)'],
      ['--junit <file>', 'write the results as JUnit XML, too'],
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

/** Known without the commands that work beside a running process, which only they and help load. */
const OWN: readonly CommandEntry[] = [...SETUP_COMMANDS, ...OTHERS];

/** All commands, or those of which the asked one is. */
export async function listCommands(asked?: string): Promise<readonly CommandEntry[]> {
  if (OWN.some(({ name }) => name.split(' ')[0] === asked)) return OWN;
  const { STORE_COMMANDS } = await import('../plugin/app/commands/store-commands.ts');
  const all = [...SETUP_COMMANDS, ...STORE_COMMANDS.map(toEntry), ...OTHERS];
  return GROUPS.flatMap((title) => all.filter(({ group }) => group === title));
}

/** Runs here, or in the process that has the embedded database open. */
function toEntry({
  isInLittleMemory,
  readArguments = (args) => args,
  ...row
}: StoreCommandRow): CommandEntry {
  const [name = ''] = row.name.split(' ');
  const run: CommandEntry['run'] = async (args, options) =>
    (await import('./process/run-on-store.ts')).runOnStore(name, readArguments(args), options);
  return { ...row, run: isInLittleMemory ? inLittleMemory(run) : run };
}
