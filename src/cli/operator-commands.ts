/** What an operator reads and has done beside the operations: works beside a running process, on either database. */
import type { CommandEntry } from './command-entry.ts';
import { serve } from './process/serve.ts';

const COMMANDS: readonly Omit<CommandEntry, 'group'>[] = [
  {
    name: 'status [id]',
    description:
      'show what is waiting and what needs attention (exit code 1), or the history of an invoice, a subscription or a customer',
    options: [['--json', 'print it as JSON']],
    environment: 'database',
    examples: ['status', 'status in_…', 'status sub_… --json'],
    exitCodes: { 1: 'something needs attention, or the id is unknown' },
    run: serve('status'),
  },
  {
    name: 'list',
    description: 'list failed invoices, with filters, also as JSON or CSV',
    options: [
      ['--search <words>', 'of a name, an e-mail address or an id'],
      ['--customer <id>', 'of this customer'],
      ['--email <address>', 'of the customer with this address, or its beginning'],
      ['--subscription <id>', 'of this subscription'],
      ['--state <state>', 'open, waiting (for the customer or a person), recovered or lost'],
      ['--needs-you', 'what needs a person, by cause, with what helps (--limit: so many of each)'],
      ['--need <code>', 'that need a person for this cause'],
      ['--standing <name>', 'unpaid, retry, asked, needs_you, stopped, waiting, back or lost'],
      ['--reason <code>', 'whose latest failure has this code'],
      ['--currency <code>', 'in this currency'],
      ['--min-amount <n>', "at least so much, in the currency's smallest unit"],
      ['--min-days <n>', 'that failed first at least so many days ago'],
      ['--max-days <n>', 'that failed first at most so many days ago'],
      ['--sort <name>', 'failed (the latest first), amount or next (what is due first)'],
      ['--limit <n>', 'so many (50, at most 500; with --csv all)'],
      ['--after <token>', 'the next page, as the page before names it'],
      ['--json', 'print it as JSON'],
      ['--csv', 'print it as CSV'],
    ],
    environment: 'database',
    examples: [
      'list',
      'list --needs-you',
      'list --state waiting --sort amount --currency eur',
      'list --email ada@ --csv > failing.csv',
    ],
    run: serve('list'),
  },
  {
    name: 'sync-actions',
    description:
      "read the service's list of recovery actions now, and apply those that no callback delivered",
    environment: 'settings',
    examples: ['sync-actions'],
    exitCodes: { 1: 'a listing was not read to its end; run it again' },
    run: serve('sync-actions'),
  },
  {
    name: 'verify',
    description:
      'compare the stored data with Stripe, object by object, and show differences; changes nothing',
    options: [
      ['--months <n>', 'invoices and charges of so many months (12); subscriptions and open invoices: all'],
      ['--account <id>', 'of this connected account'],
      ['--fix', 'then read everything again, which repairs it'],
      ['--json', 'print it as JSON'],
    ],
    environment: 'settings',
    examples: ['verify', 'verify --fix', 'verify --months 2 --json'],
    exitCodes: { 1: 'something differs, or not everything could be compared' },
    run: serve('verify'),
  },
  {
    name: 'compare',
    description: "compare what the plugin's retries recover with Stripe's own, for randomly chosen customers",
    options: [
      ['--plan', 'how many customers it takes for which difference; reads nothing'],
      ['--percent <n>', 'plan: left to Stripe (50)'],
      ['--share <n>', 'plan: percent of the cases that Stripe recovers (50)'],
      ['--customers <n>', 'plan: new ones with a failed invoice each month, to say how long'],
      ['--export', 'counts without ids, to publish (docs/concepts/pre-registration.md)'],
      ['--json', 'print it as JSON'],
    ],
    environment: 'database',
    examples: ['compare', 'compare --plan --percent 50 --customers 400', 'compare --export > counts.json'],
    run: serve('compare'),
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
    environment: 'database',
    examples: ['keys', 'keys create --name "billing worker"', 'keys rotate key_… --now'],
    exitCodes: { 1: 'nothing was done' },
    run: serve('keys'),
  },
  {
    name: 'callbacks [action] [requestIds...]',
    description:
      'list the callbacks that the embedded service could not deliver (exit code 1 if any), or resend some or all',
    options: [['--json', 'print the list as JSON']],
    environment: 'database',
    examples: ['callbacks', 'callbacks resend'],
    exitCodes: { 1: 'something needs attention' },
    run: serve('callbacks'),
  },
  {
    name: 'mcp',
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
];

export const OPERATOR_COMMANDS = COMMANDS.map((entry): CommandEntry => ({ group: 'Operate', ...entry }));
