/** What `--help` of each command says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { describeUse } from '../../src/cli/command-line.ts';
import { listCommands } from '../../src/cli/commands.ts';
import { wordsOf } from '../../src/core/base/command-options.ts';
import { programOf } from '../support/process/compiled-program.ts';

const named = (await listCommands()).map((entry) => [wordsOf(entry.name), entry] as const);

test.each(named)('the help of %s has the environment, examples and exit codes', (_name, entry) => {
  const help = describeUse(entry);
  for (const title of ['Environment:', 'Examples:', 'Exit codes:']) expect(help).toContain(`\n${title}\n  `);
  expect(help).toMatch(/\n {2}0 {2}\S.*\n {2}1 {2}\S.*\n {2}2 {2}\S/);
});

test.each(named)('every example in the help of %s is a call that it takes', async (name, entry) => {
  for (const example of entry.examples) {
    const words: string[] = example.replace(/^([A-Z_]+=\S+ )*/, '').match(/"[^"]*"|\S+/g) ?? [];
    // What is written to a file is the shell's business.
    const call = words.includes('>') ? words.slice(0, words.indexOf('>')) : words;
    const verb = name.split(' ').length - 1;
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    const command = program.command(entry.name.split(' ').slice(verb).join(' ')).exitOverride();
    for (const [flags, meaning] of entry.options ?? []) command.option(flags, meaning);
    command.action(() => {});
    await program.parseAsync(call.slice(verb), { from: 'user' });
    expect(call.slice(0, verb + 1).join(' ')).toBe(name);
  }
});

test('a reader that closes the pipe before its end gets no stack', async () => {
  const { flags, file } = programOf('src/cli.ts');
  const child = spawn(process.execPath, [...flags, file, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect([said, code]).toEqual(['', 141]);
});
