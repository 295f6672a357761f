/** The commands in the documentation: each of ours exists with its options; in docs/how-to each is run by a test, or says why not. */
import { readdirSync, readFileSync } from 'node:fs';
import { listCommands } from '../src/cli/commands.ts';
import { wordsOf } from '../src/core/base/command-options.ts';
import { failingInvoicesQuery } from '../src/plugin/operator/lists/failing-invoices.ts';
import { commandsOf } from './support/http/page-commands.ts';

const folder = new URL('../docs/how-to/', import.meta.url);
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

const ALL = await listCommands();

/** By its words alone, with an option or an id. */
const SHORT = new RegExp(
  `\`((?:${ALL.map(({ name }) => wordsOf(name)).join('|')})(?: +(?:--|in_|cus_)[^\`\\n|&>#]+)+)\``,
  'g',
);

const everyPage = [
  '',
  'docs/',
  'docs/tutorials/',
  'docs/how-to/',
  'docs/concepts/',
  'docs/reference/',
].flatMap((under) =>
  readdirSync(new URL(`../${under}`, import.meta.url))
    .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
    .map((name) => `${under}${name}`),
);

test.each(everyPage)('each command of ours in %s exists, with its options', (page) => {
  const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
  const unknown = [
    ...text.matchAll(/(?:npx stripe-payment-retry|dist\/cli\.js) ([a-z-]+(?: +[^ `\n|&>#]+)*)/g),
    ...text.matchAll(SHORT),
  ].filter(([, call = '']) => {
    const words = call.replace(/[.,;:)]+(?= |$)/g, '');
    const found = ALL.filter(({ name }) => `${words} `.startsWith(`${wordsOf(name)} `));
    const known = found.flatMap(({ options = [] }) =>
      options.flatMap(([flags]) => flags.match(/--[a-z-]+/g)),
    );
    return found.length === 0 || (call.match(/--[a-z-]+/g) ?? []).some((flag) => !known.includes(flag));
  });
  expect(unknown.map(([whole]) => whole)).toEqual([]);
  const states = [...text.matchAll(/\blist [^`\n]*--state ([a-z]+)/g)].map(([, state]) => state);
  expect(states.filter((state) => !failingInvoicesQuery.safeParse({ state }).success)).toEqual([]);
});
