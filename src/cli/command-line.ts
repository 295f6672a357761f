/** What was typed, to the command that it names. */
import { Command, CommanderError } from 'commander';
import type { CommandEntry } from './command-entry.ts';
import { listCommands } from './commands.ts';
import { reportFailure, WRONG_USE } from './process/report-failure.ts';

/** Returns the exit code; undefined where the command goes on until it is stopped. */
export async function runCommandLine(args: readonly string[], version: string): Promise<number | undefined> {
  let code: number | undefined;
  const program = new Command('stripe-payment-retry')
    .description(
      'Recovers failed Stripe subscription renewals: retries payments and asks customers for a new card.',
    )
    .version(version)
    .exitOverride()
    .showHelpAfterError('--help says what there is.');
  for (const entry of await listCommands(args[0])) {
    const { name, group, description, options = [], run } = entry;
    const command = program
      .command(name)
      .helpGroup(`${group}:`)
      .description(description)
      .addHelpText('after', describeUse(entry));
    for (const [flags, meaning] of options) command.option(flags, meaning);
    command.action(async () => {
      code = await run(command.args, command.opts()).catch(reportFailure);
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
