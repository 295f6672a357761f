/** The pages of docs/operations: each command in them is run by a test, is one of ours with options that it has, or says why it is not. */
import { readdirSync, readFileSync } from 'node:fs';
import { COMMANDS } from '../src/cli/commands.ts';
import { commandsOf } from './support/page-commands.ts';

const folder = new URL('../docs/operations/', import.meta.url);
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));

/** Whoever runs a block of a page by `blockOf`. */
const RUNNERS = ['./deployment.test.ts', './scenarios/restored-backup.test.ts'].map((path) =>
  readFileSync(new URL(path, import.meta.url), 'utf8'),
);

test.each(pages)('each command of %s is run by a test, or said to be run by hand', (page) => {
  const blocks = commandsOf(readFileSync(new URL(page, folder), 'utf8'));
  const unmarked = blocks.filter(({ lines: [first = ''] }) => !first.startsWith('# By hand: '));
  const unrun = unmarked.filter(
    ({ lines: [first = ''] }) => !RUNNERS.some((runner) => runner.includes(page) && runner.includes(first)),
  );
  expect(unrun.map(({ lines }) => lines)).toEqual([]);
});

test.each(pages)('each command of ours in %s exists, with its options', (page) => {
  const text = readFileSync(new URL(page, folder), 'utf8');
  for (const [whole, name, rest = ''] of text.matchAll(
    /(?:npx stripe-payment-retry|dist\/cli\.js) ([a-z-]+)([^`\n|&>]*)/g,
  )) {
    const command = COMMANDS.find((one) => one.name.split(' ')[0] === name);
    const known = (command?.options ?? []).flatMap(([flags]) => flags.match(/--[a-z-]+/g) ?? []);
    const used = rest.match(/--[a-z-]+/g) ?? [];
    expect([whole, command?.name.split(' ')[0], used.filter((flag) => !known.includes(flag))]).toEqual([
      whole,
      name,
      [],
    ]);
  }
});
