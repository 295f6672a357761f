#!/usr/bin/env node
import { Command } from 'commander';
import { COMMANDS } from './cli/commands.ts';
import { reportFailure } from './cli/report-failure.ts';

const program = new Command('stripe-payment-retry').description(
  'Keeps a payment retry service informed about Stripe subscriptions and carries out its instructions.',
);
for (const { name, description, options = [], run } of COMMANDS) {
  const command = program.command(name).description(description);
  for (const [flags, meaning] of options) command.option(flags, meaning);
  command.action(async () => {
    const code = await run(command.args, command.opts()).catch(reportFailure);
    if (code !== undefined) process.exitCode = code;
  });
}
await program.parseAsync();
