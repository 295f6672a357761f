#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { z } from 'zod';
import { listCommands } from './cli/commands.ts';
import { describeUse } from './cli/describe-use.ts';
import { reportFailure } from './cli/process/report-failure.ts';

// Node 20 optimizes most of the embedded database's engine while that starts, which is half of what a start costs: later it knows
// what is used much.
setFlagsFromString('--wasm-tiering-budget=500000000');

// Settings of the folder that a command runs in; what the environment has comes first.
if (existsSync('.env')) process.loadEnvFile('.env');

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

const program = new Command('stripe-payment-retry')
  .description(
    'Keeps a payment retry service informed about Stripe subscriptions and carries out its instructions.',
  )
  .version(version);

async function main([asked]: readonly string[]): Promise<void> {
  for (const entry of await listCommands(asked)) {
    const { name, description, options = [], run } = entry;
    const command = program.command(name).description(description).addHelpText('after', describeUse(entry));
    for (const [flags, meaning] of options) command.option(flags, meaning);
    command.action(async () => {
      const code = await run(command.args, command.opts()).catch(reportFailure);
      if (code !== undefined) process.exitCode = code;
    });
  }
  await program.parseAsync();
}

void main(process.argv.slice(2));
