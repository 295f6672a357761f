/** What `--help` says after the options: the environment, examples, exit codes. */
import type { CommandEntry } from './command-entry.ts';

const ENVIRONMENT: Readonly<Record<CommandEntry['environment'], readonly string[]>> = {
  settings: [
    'The settings of the plugin: STRIPE_SECRET_KEY, DATABASE_URL or DATA_DIR, and the others of docs/reference/settings.md.',
  ],
  database: [
    'DATABASE_URL  the PostgreSQL that the plugin uses, or',
    'DATA_DIR      the folder of its embedded database (./data)',
    'While a process has the embedded database open, it carries out the command.',
  ],
  api: [
    'PUBLIC_URL           where the running plugin is, without --url',
    'OPERATOR_READ_TOKEN  the token of its API, or',
    'OPERATOR_TOKEN       the one that may also change something',
  ],
  nothing: ['None of the settings.'],
};

const OF_EVERY_COMMAND = { 0: 'done', 1: 'it failed', 2: 'the settings, or what was given, have problems' };

export function describeUse({ environment, examples, exitCodes }: CommandEntry): string {
  const codes = Object.entries({ ...OF_EVERY_COMMAND, ...exitCodes });
  return [
    ...section('Environment', ENVIRONMENT[environment]),
    ...section('Examples', examples.map(toCall)),
    ...section(
      'Exit codes',
      codes.map(([code, meaning]) => `${code}  ${meaning}`),
    ),
  ].join('\n');
}

/** Variables stand before the program. */
function toCall(example: string): string {
  const [, variables = '', command = ''] = /^((?:[A-Z_]+=\S+ )*)(.*)$/s.exec(example) ?? [];
  return `${variables}npx stripe-payment-retry ${command}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}
