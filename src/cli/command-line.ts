/** What was typed, to the command that it names. */
import { Command, CommanderError } from 'commander';
import type { CommandEntry } from './command-entry.ts';
import { listCommands } from './commands.ts';
import { reportFailure, WRONG_USE } from './process/report-failure.ts';

interface Program {
  readonly name: string;
  readonly description: string;
  /** Text before a command in its examples. */
  readonly call: string;
  /** Lists the commands, at least the asked one. */
  list(asked: string | undefined): Promise<readonly CommandEntry[]>;
}

/** Runs the package's command line. Returns the exit code; undefined where the command goes on until it is stopped. */
export function runCommandLine(args: readonly string[], version: string): Promise<number | undefined> {
  return runProgram(args, { ...PACKAGE, version });
}

const PACKAGE: Program = {
  name: 'stripe-payment-retry',
  description:
    'Recovers failed Stripe subscription renewals: retries payments and asks customers for a new card.',
  call: 'npx stripe-payment-retry',
  list: listCommands,
};

/** Runs the command that the arguments name. Returns its exit code, as `runCommandLine` does. */
export async function runProgram(
  args: readonly string[],
  { name, description, version, call, list }: Program & { readonly version?: string },
): Promise<number | undefined> {
  let code: number | undefined;
  const program = new Command(name)
    .description(description)
    .exitOverride()
    .showHelpAfterError('--help says what there is.');
  if (version !== undefined) program.version(version);
  for (const entry of await list(args[0])) {
    const command = program
      .command(entry.name)
      .helpGroup(`${entry.group}:`)
      .description(entry.description)
      .addHelpText('after', describeUse(entry, call));
    for (const [flags, meaning] of entry.options ?? []) command.option(flags, meaning);
    command.action(async () => {
      code = await entry.run(command.args, command.opts()).catch(reportFailure);
    });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : WRONG_USE;
  }
}

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

export function describeUse(
  { environment, examples, exitCodes }: CommandEntry,
  call: string = PACKAGE.call,
): string {
  const codes = Object.entries({ ...OF_EVERY_COMMAND, ...exitCodes });
  return [
    ...section('Environment', ENVIRONMENT[environment]),
    ...section(
      'Examples',
      examples.map((example) => toCall(example, call)),
    ),
    ...section(
      'Exit codes',
      codes.map(([code, meaning]) => `${code}  ${meaning}`),
    ),
  ].join('\n');
}

/** Variables stand before the program. */
function toCall(example: string, call: string): string {
  const [, variables = '', command = ''] = /^((?:[A-Z_]+=\S+ )*)(.*)$/s.exec(example) ?? [];
  return `${variables}${call} ${command}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}
