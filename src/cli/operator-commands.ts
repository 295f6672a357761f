/** The commands of whoever operates the plugin: they work beside a running process, on either database. */
import type { CommandEntry } from './command-entry.ts';
import { serve } from './process/serve.ts';

const JSON_OPTION = ['--json', 'print the result as JSON'] as const;
const PERSON = [
  ['--reason <text>', 'why; kept in the history'],
  ['--by <name>', "your name for the audit (this system's user)"],
  JSON_OPTION,
] as const;
const ON_INVOICE = [
  ...PERSON,
  ['--account <id>', 'the account of the invoice, if two accounts have one with this id'],
] as const;
const SWITCH = [...PERSON, ['--account <id>', 'this account alone (all); `own` is your own']] as const;
const CHECK = ['--check', 'do nothing, and say what would prevent it now (exit code 1)'] as const;

const OPERATES = {
  environment: 'database',
  exitCodes: {
    0: 'it was done',
    1: 'it was refused, or a part is left',
    3: 'nothing had to be done: nothing changed',
  },
} as const;
/** They read the invoice at Stripe first. */
const OPERATES_AT_STRIPE = { ...OPERATES, environment: 'settings' } as const;

export const OPERATOR_COMMANDS: readonly CommandEntry[] = [
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
    description: 'list invoices of which a payment failed, with filters, also as JSON or CSV',
    options: [
      ['--search <words>', 'of a name, an e-mail address or an id'],
      ['--customer <id>', 'of this customer'],
      ['--email <address>', 'of the customer with this address, or its beginning'],
      ['--subscription <id>', 'of this subscription'],
      ['--state <state>', 'open, waiting (for the customer or a person), recovered or lost'],
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
      'list --state waiting --sort amount --currency eur',
      'list --email ada@ --csv > failing.csv',
    ],
    run: serve('list'),
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
      ['--unmapped [ids...]', 'records that could not be mapped: these, or all'],
      ['--instructions [ids...]', 'instructions that could not be planned: these, or all'],
    ],
    ...OPERATES,
    examples: ['replay --refused', 'replay --events evt_1 evt_2 --reason fixed'],
    run: serve('replay'),
  },
  {
    name: 'handback [invoices...]',
    description: "give invoices taken over in exclusive mode back to Stripe's own retries: these, or all",
    options: PERSON,
    ...OPERATES_AT_STRIPE,
    examples: ['handback', 'handback in_… --reason "we leave"'],
    run: serve('handback'),
  },
  {
    name: 'stop <invoice>',
    description: 'stop collecting an invoice until it is released, whatever the service asks',
    options: ON_INVOICE,
    ...OPERATES,
    examples: ['stop in_… --reason "the customer called"'],
    run: serve('stop'),
  },
  {
    name: 'release <invoice>',
    description: 'follow new instructions for an invoice again',
    options: ON_INVOICE,
    ...OPERATES,
    examples: ['release in_… --reason fixed'],
    run: serve('release'),
  },
  {
    name: 'retry <invoice>',
    description: 'charge an invoice now, once, if every guard lets it pass',
    options: [CHECK, ...ON_INVOICE],
    ...OPERATES_AT_STRIPE,
    examples: ['retry in_… --check', 'retry in_… --reason "the customer called"'],
    run: serve('retry'),
  },
  {
    name: 'postpone <invoice>',
    description: 'neither charge nor mail about an invoice until a time, whatever the service asks',
    options: [
      ['--until <time>', 'a date or a time, ISO 8601'],
      ['--zone <name>', 'the IANA time zone of a time that names none itself (UTC)'],
      ...ON_INVOICE,
    ],
    ...OPERATES,
    examples: [
      'postpone in_… --until 2026-04-01',
      'postpone in_… --until 2026-04-01T09:00 --zone Europe/Berlin --reason "pays on Friday"',
    ],
    run: serve('postpone'),
  },
  {
    name: 'mail <invoice>',
    description: 'send the customer of an invoice the mail about it once more',
    options: [
      CHECK,
      ['--template <name>', 'card_update or confirm_payment (the last one that was asked for)'],
      ...ON_INVOICE,
    ],
    ...OPERATES_AT_STRIPE,
    examples: ['mail in_…', 'mail in_… --template card_update'],
    run: serve('mail'),
  },
  {
    name: 'dismiss <records...>',
    description: 'set refused records aside for good, until they change',
    options: PERSON,
    ...OPERATES,
    examples: ['dismiss sub_… --reason "a test"'],
    run: serve('dismiss'),
  },
  {
    name: 'forget <customer>',
    description:
      'erase the personal data of a customer and stop collecting from them; amounts, outcomes and codes stay',
    options: [...PERSON, ['--account <id>', 'the connected account, if it is not your own']],
    ...OPERATES,
    examples: ['forget cus_… --reason "asked for it"'],
    run: serve('forget'),
  },
  {
    name: 'pause',
    description: 'kill switch: pay, mail and change nothing at Stripe until `resume`; what comes in is kept',
    options: SWITCH,
    ...OPERATES,
    examples: ['pause --reason "wrong prices"'],
    run: serve('pause'),
  },
  {
    name: 'resume',
    description: 'end a pause; what waited happens by the rules of that moment',
    options: SWITCH,
    ...OPERATES,
    examples: ['resume'],
    run: serve('resume'),
  },
  {
    name: 'sync-actions',
    description: "read the service's list of recovery actions now and apply what no callback brought",
    environment: 'settings',
    examples: ['sync-actions'],
    exitCodes: { 1: 'a listing was not read to its end; run it again' },
    run: serve('sync-actions'),
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
      'what the embedded service could not deliver: list (exit code 1 if any), or resend these, or all',
    options: [['--json', 'print the list as JSON']],
    environment: 'database',
    examples: ['callbacks', 'callbacks resend'],
    exitCodes: { 1: 'something needs attention' },
    run: serve('callbacks'),
  },
];
