/** What the command line offers; the README's table is tested against it. */

import { z } from 'zod';
import type { OperationName } from '../operator/operations/operations.ts';
import { runDemo } from '../sandbox/demo/run-demo.ts';
import { runSimulate } from '../sandbox/simulation/run-simulation.ts';
import { runAssess } from './assess-command.ts';
import { runBackfill } from './backfill-command.ts';
import { runCallbacks } from './callbacks-command.ts';
import { runHashPassword } from './hash-password-command.ts';
import { runKeys } from './keys-command.ts';
import { runMigrate } from './migrate-command.ts';
import { runOperation } from './operate-command.ts';
import { keepHeapSmall } from './process/keep-heap-small.ts';
import { runRehearse } from './rehearse-command.ts';
import { runService } from './service-command.ts';
import { runStart } from './start-command.ts';
import { runStatus } from './status-command.ts';
import { runSyncActions } from './sync-actions-command.ts';

export interface CommandEntry {
  /** With its arguments, as commander writes them. */
  readonly name: string;
  readonly description: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** What it returns becomes the exit code. `start` and `service` return nothing and run until they are stopped. */
  readonly run: (args: readonly string[], options: unknown) => Promise<number | undefined>;
}

/** For what reads large accounts. */
function inLittleMemory(run: CommandEntry['run']): CommandEntry['run'] {
  return (args, options) => {
    keepHeapSmall();
    return run(args, options);
  };
}

const PERSON = [
  ['--reason <text>', 'why; kept in the history'],
  ['--by <name>', "your name for the audit (this system's user)"],
] as const;
const ON_INVOICE = [
  ...PERSON,
  ['--account <id>', 'the account of the invoice, if two accounts have one with this id'],
] as const;
const SWITCH = [...PERSON, ['--account <id>', 'this account alone (all); `own` is your own']] as const;

/** What the options name is a parameter of the operation; it knows which are its own. */
const parameters = z.record(z.string(), z.unknown());

/** An operation on the invoice that the command names. */
function onInvoice(name: OperationName): CommandEntry['run'] {
  return ([invoice], options) => runOperation(name, { ...parameters.parse(options), invoice }, options);
}

function operate(name: OperationName): CommandEntry['run'] {
  return (_args, options) => runOperation(name, parameters.parse(options), options);
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    description: 'run the plugin as a server of its own',
    run: inLittleMemory(() => runStart()),
  },
  {
    name: 'service',
    description: 'run the retry service alone, for plugins that name it in RETRY_SERVICE_URL',
    run: () => runService(),
  },
  {
    name: 'demo',
    description: 'simulate a merchant with failing customers; needs no account and no settings',
    run: () => runDemo(),
  },
  {
    name: 'backfill',
    description: 'read the existing data from Stripe, deliver it and exit; resumes where it stopped',
    options: [
      ['--months <n>', 'how far back invoices and payments are read (12)'],
      ['--account <id>', 'the connected account, if it is not your own'],
    ],
    run: inLittleMemory((_args, options) => runBackfill(options)),
  },
  {
    name: 'rehearse',
    description:
      'play a failed renewal, a retry and a new card on a Stripe test account, with a test clock; needs a test key',
    options: [['--keep', 'leave what it made at Stripe']],
    run: (_args, options) => runRehearse(options),
  },
  {
    name: 'assess',
    description: "report on an account's own failed renewals; reads only, a restricted key is enough",
    options: [
      ['--months <n>', 'how far back (12)'],
      ['--out <folder>', 'where the report goes (assessment)'],
      ['--sandbox', 'on a simulated account, without a key'],
    ],
    run: inLittleMemory((_args, options) => runAssess(options)),
  },
  { name: 'migrate', description: 'bring the database up to date and exit', run: () => runMigrate() },
  {
    name: 'status [invoice]',
    description: 'show what is waiting and what needs attention (exit code 1), or the history of an invoice',
    options: [['--json', 'print it as JSON']],
    run: runStatus,
  },
  {
    name: 'replay',
    description:
      'process dead events, deliver refused records, read unmapped ones or plan failed instructions once more',
    options: [
      ...PERSON,
      ['--events [ids...]', 'dead events: these, or all'],
      ['--type <type>', 'only dead events of this type'],
      ['--refused [ids...]', 'records in quarantine: these, or all'],
      ['--unmapped [ids...]', 'records that no message fits: these, or all'],
      ['--instructions [ids...]', 'instructions that could not be planned: these, or all'],
    ],
    run: operate('replay'),
  },
  {
    name: 'handback [invoices...]',
    description: "give invoices taken over in exclusive mode back to Stripe's own retries: these, or all",
    options: PERSON,
    run: (args, options) => runOperation('handBack', args.length > 0 ? { invoices: args } : {}, options),
  },
  {
    name: 'stop <invoice>',
    description: 'stop collecting an invoice until it is released, whatever the service asks',
    options: ON_INVOICE,
    run: onInvoice('stop'),
  },
  {
    name: 'release <invoice>',
    description: 'follow new instructions for an invoice again',
    options: ON_INVOICE,
    run: onInvoice('release'),
  },
  {
    name: 'retry <invoice>',
    description: 'charge an invoice now, once, if every guard lets it pass',
    options: ON_INVOICE,
    run: onInvoice('retryNow'),
  },
  {
    name: 'postpone <invoice>',
    description: 'neither charge nor mail about an invoice until a time, whatever the service asks',
    options: [['--until <time>', 'a date or a time, ISO 8601; without a zone in UTC'], ...ON_INVOICE],
    run: onInvoice('postpone'),
  },
  {
    name: 'mail <invoice>',
    description: 'send the customer of an invoice the mail about it once more',
    options: [
      ['--template <name>', 'card_update or confirm_payment (the last one that was asked for)'],
      ...ON_INVOICE,
    ],
    run: onInvoice('sendMailAgain'),
  },
  {
    name: 'dismiss <records...>',
    description: 'set refused records aside for good, until they change',
    options: PERSON,
    run: (args, options) => runOperation('dismiss', { records: args }, options),
  },
  {
    name: 'pause',
    description: 'kill switch: pay, mail and change nothing at Stripe until `resume`; what comes in is kept',
    options: SWITCH,
    run: operate('pause'),
  },
  {
    name: 'resume',
    description: 'end a pause; what waited happens by the rules of that moment',
    options: SWITCH,
    run: operate('resume'),
  },
  {
    name: 'sync-actions',
    description: "read the service's list of recovery actions now and apply what no callback brought",
    run: () => runSyncActions(),
  },
  {
    name: 'keys [action] [id]',
    description: "the embedded service's API keys: list, create, rotate ID, revoke ID or change ID",
    options: [
      ['--organization <name>', 'whose key, or whose keys to list (create: default)'],
      ['--name <text>', 'who uses the key'],
      ['--limit <n>', 'requests a second (100)'],
      ['--grace <hours>', 'how long a rotated key stays good (24)'],
      ['--now', 'rotate: the old key ends at once'],
      ['--json', 'print it as JSON'],
    ],
    run: runKeys,
  },
  {
    name: 'hash-password <name>',
    description: "make an operator's entry for CONSOLE_USERS, from a password typed or piped in",
    run: (args) => runHashPassword(args),
  },
  {
    name: 'callbacks [action] [requestIds...]',
    description:
      'what the embedded service could not deliver: list (exit code 1 if any), or resend these, or all',
    options: [['--json', 'print the list as JSON']],
    run: runCallbacks,
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
    run: (_args, options) => runSimulate(options),
  },
];
