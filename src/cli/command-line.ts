/** Runs the command that the typed words name. */
import { Command, CommanderError } from 'commander';
import { wordsOf } from '../core/base/command-options.ts';
import type { CommandEntry } from './command-entry.ts';
import { listCommands } from './commands.ts';
import { reportFailure, WRONG_USE } from './process/report-failure.ts';

interface Program {
  readonly name: string;
  readonly description: string;
  /** Text before a command in its examples. */
  readonly call: string;
  /** A line at the end of the help. */
  readonly note?: string;
  /** Lists the commands, at least the one that the arguments name. */
  list(args: readonly string[]): Promise<readonly CommandEntry[]>;
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
  note: 'playground: see it work · sandbox: build against it · assess: your own history',
  list: listCommands,
};

/** Runs the command that the arguments name. Returns its exit code, as `runCommandLine` does. */
export async function runProgram(
  args: readonly string[],
  { name, description, version, call, note = '', list }: Program & { readonly version?: string },
): Promise<number | undefined> {
  let code: number | undefined;
  const program = new Command(name)
    .description(description)
    .exitOverride()
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', note === '' ? '' : `\n${note}`)
    .showHelpAfterError('--help lists the commands.');
  if (version !== undefined) program.version(version);
  const entries = await list(args);
  for (const entry of entries) {
    const command = addCommand(program, entry, entries).addHelpText('after', describeUse(entry, call));
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

/** Adds a command under its noun, or under the program if it has none. */
function addCommand(
  program: Command,
  { name, group, description, options = [], isHidden }: CommandEntry,
  entries: readonly CommandEntry[],
): Command {
  const [, noun, use = name] = /^(\S+) ([a-z].*)$/.exec(name) ?? [];
  const parent = noun === undefined ? program : nounOf(program, { noun, group, entries });
  const command = parent.command(use, { hidden: isHidden ?? false }).description(description);
  if (noun === undefined) command.helpGroup(`${group}:`);
  for (const [flags, meaning] of options) command.option(flags, meaning);
  return command;
}

function nounOf(
  program: Command,
  { noun, group, entries }: { noun: string; group: string; entries: readonly CommandEntry[] },
): Command {
  const known = program.commands.find((command) => command.name() === noun);
  const verbs = entries.map(({ name }) => wordsOf(name).split(' ')).filter(([first]) => first === noun);
  return (
    known ??
    program
      .command(noun)
      .helpGroup(`${group}:`)
      .helpCommand(false)
      .summary(verbs.map(([, verb]) => verb).join(', '))
  );
}

const ENVIRONMENT: Readonly<Record<CommandEntry['environment'], readonly string[]>> = {
  settings: [
    'The settings of the plugin: STRIPE_SECRET_KEY, DATABASE_URL or DATA_DIR',
    'and others (docs/reference/settings.md).',
  ],
  database: [
    'DATABASE_URL  the PostgreSQL database of the plugin, or',
    'DATA_DIR      the folder of its embedded database (./data)',
    'If a process has the embedded database open, that process runs the command.',
  ],
  api: [
    'PUBLIC_URL           the address of the running plugin, without --url',
    'OPERATOR_READ_TOKEN  a token that may read its API, or',
    'OPERATOR_TOKEN       a token that may also change something',
  ],
  nothing: ['No settings.'],
};

const OF_EVERY_COMMAND = { 0: 'done', 1: 'failed', 2: 'the settings or the arguments have problems' };

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

/** Puts variables before the program. */
function toCall(example: string, call: string): string {
  const [, variables = '', command = ''] = /^((?:[A-Z_]+=\S+ )*)(.*)$/s.exec(example) ?? [];
  return `${variables}${call} ${command}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}
