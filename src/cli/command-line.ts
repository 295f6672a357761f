/** What was typed, to the command that it names. */
import { Command, CommanderError } from 'commander';
import { listCommands } from './commands.ts';
import { describeUse } from './describe-use.ts';
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
