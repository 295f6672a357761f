#!/usr/bin/env node
import { Command } from 'commander';
import { runDemo } from './cli/demo.ts';
import { runMigrate } from './cli/migrate.ts';
import { reportFailure } from './cli/report-failure.ts';
import { runStart } from './cli/start.ts';

/** The commands; what each returns becomes the exit code. `start` returns nothing and runs until it is stopped. */
const COMMANDS: readonly { name: string; description: string; run: () => Promise<number | undefined> }[] = [
  { name: 'start', description: 'run the plugin as a server of its own', run: runStart },
  {
    name: 'demo',
    description: 'simulate a merchant with failing customers; needs no account and no settings',
    run: runDemo,
  },
  { name: 'migrate', description: 'bring the database up to date and exit', run: runMigrate },
];

const program = new Command('stripe-payment-retry').description(
  'Keeps a payment retry service informed about Stripe subscriptions and carries out its instructions.',
);
for (const { name, description, run } of COMMANDS) {
  program
    .command(name)
    .description(description)
    .action(async () => {
      const code = await run().catch(reportFailure);
      if (code !== undefined) process.exitCode = code;
    });
}
await program.parseAsync();
