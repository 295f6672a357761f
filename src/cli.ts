#!/usr/bin/env node
import { Command } from 'commander';
import { runBackfill } from './cli/backfill.ts';
import { runDemo } from './cli/demo.ts';
import { runHandback } from './cli/handback.ts';
import { runMigrate } from './cli/migrate.ts';
import { runReplay } from './cli/replay.ts';
import { reportFailure } from './cli/report-failure.ts';
import { runStart } from './cli/start.ts';
import { runStatus } from './cli/status.ts';
import { runRelease, runStop } from './cli/stop.ts';
import { runSyncActions } from './cli/sync-actions.ts';

interface CommandEntry {
  /** With its arguments, as commander writes them. */
  readonly name: string;
  readonly description: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** What it returns becomes the exit code. `start` returns nothing and runs until it is stopped. */
  readonly run: (args: readonly string[], options: unknown) => Promise<number | undefined>;
}

const PERSONS_WORD = [
  ['--reason <text>', 'why; kept in the history'],
  ['--account <id>', 'the connected account, if it is not your own'],
] as const;

const COMMANDS: readonly CommandEntry[] = [
  { name: 'start', description: 'run the plugin as a server of its own', run: () => runStart() },
  {
    name: 'demo',
    description: 'simulate a merchant with failing customers; needs no account and no settings',
    run: () => runDemo(),
  },
  {
    name: 'backfill',
    description: 'read what Stripe had before, deliver it and exit; goes on where it stopped',
    options: [
      ['--months <n>', 'how far back invoices and payments are read (12)'],
      ['--account <id>', 'the connected account, if it is not your own'],
    ],
    run: (_args, options) => runBackfill(options),
  },
  { name: 'migrate', description: 'bring the database up to date and exit', run: () => runMigrate() },
  {
    name: 'status [invoice]',
    description: 'say what waits and what needs a person (exit code 1), or tell the history of an invoice',
    options: [['--json', 'print it as JSON']],
    run: runStatus,
  },
  {
    name: 'replay',
    description: 'process dead events, deliver refused records or plan failed instructions once more',
    options: [
      ['--events [ids...]', 'dead events: these, or all'],
      ['--type <type>', 'only dead events of this type'],
      ['--refused [ids...]', 'records in quarantine: these, or all'],
      ['--instructions [ids...]', 'instructions that could not be planned: these, or all'],
    ],
    run: (_args, options) => runReplay(options),
  },
  {
    name: 'handback [invoices...]',
    description: "give invoices taken over in exclusive mode back to Stripe's own retries: these, or all",
    run: (args) => runHandback(args),
  },
  {
    name: 'stop <invoice>',
    description: 'collect an invoice no more, whatever the service says, until it is released',
    options: PERSONS_WORD,
    run: runStop,
  },
  {
    name: 'release <invoice>',
    description: 'let new instructions for an invoice be followed again',
    options: PERSONS_WORD,
    run: runRelease,
  },
  {
    name: 'sync-actions',
    description: "read the service's list of recovery actions now and apply what no callback brought",
    run: () => runSyncActions(),
  },
];

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
