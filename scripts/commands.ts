/** Commands of a checkout, each an npm script: `npm run simulate -- --world main`. The package does not contain them. */
import type { CommandEntry } from '../src/cli/command-entry.ts';
import { runProgram } from '../src/cli/command-line.ts';
import { interruption } from '../src/cli/process/interruption.ts';

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'check-plugin',
    group: 'Try',
    description: 'test a client of the retry service against a service that answers in unusual ways',
    options: [
      [
        '--listen <port>',
        'test a client of yours, which connects there; without it, this plugin on a sandbox',
      ],
      ['--callback <url>', 'where your client takes instructions: at <url>/recovery_action'],
      ['--token <token>', 'the bearer token that it wants there'],
      ['--wait <seconds>', 'for your client, at most (60)'],
      ['--seed <number>', 'what the details of each way follow from (1)'],
      ['--only <words>', 'the ways whose names have these words'],
      ['--junit <file>', 'write the results as JUnit XML, too'],
    ],
    environment: 'nothing',
    examples: [
      'check-plugin',
      'check-plugin -- --listen 9000 --callback http://localhost:9001 --token token --junit results.xml',
    ],
    exitCodes: { 0: 'it keeps the contract', 1: 'it does not' },
    run: async (_args, options) =>
      (await import('../test/support/service-twin/check-plugin-command.ts')).runCheckPlugin(options),
  },
  {
    name: 'simulate',
    group: 'Try',
    description: 'compare timing policies on simulated customers; needs no account and no settings',
    options: [
      ['--seed <number>', 'the first seed (1)'],
      ['--seeds <number>', 'how many seeds (2)'],
      ['--cases <number>', 'failed invoices a year, about (4800)'],
      ['--world <name>', 'D, R, another by its name, main, others, outside or all (D)'],
      ['--out <folder>', 'write the tables and a plot there'],
    ],
    environment: 'nothing',
    examples: ['simulate -- --world main'],
    run: async (_args, options) =>
      (await import('./simulate/run-simulation.ts')).runSimulate(options, {
        ...interruption(),
        progress: process.stderr,
      }),
  },
  {
    name: 'stories',
    group: 'Try',
    description: "play Stripe's own behavior on the simulated account or a test account, and compare the two",
    options: [
      ['--story <name>', 'play this one, and print Stripe events and states; without it, list all'],
      ['--sandbox', 'play the story on the simulated account, without a key'],
      ['--compare <file>', 'print only the differences from a saved output'],
    ],
    environment: 'settings',
    examples: [
      'stories',
      'stories -- --story refund --sandbox > refund.txt',
      'stories -- --story refund --compare refund.txt',
    ],
    exitCodes: { 1: 'a step failed, or the outputs differ' },
    run: async (_args, options) => (await import('./stories/stories-command.ts')).runStories(options),
  },
];

const code = await runProgram(process.argv.slice(2), {
  name: 'npm run',
  description: 'Commands of a checkout.',
  call: 'npm run',
  list: async () => COMMANDS,
});
if (code !== undefined) process.exitCode = code;
