/** Wrong use of any command is told from failure: exit code 2, before anything is done. */
import { mock } from 'node:test';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { listCommands } from '../../src/cli/commands.ts';
import { wordsOf } from '../../src/core/base/command-options.ts';
import { MAIN, type TestLocation, variablesOf } from '../support/database/databases.ts';

const SETTINGS = {
  RETRY_MODE: 'advisory',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_API_BASE: 'http://127.0.0.1:9',
};
const said: string[] = [];
const before = { ...process.env };
let place: TestLocation;

beforeAll(async () => {
  place = await MAIN.createMigrated();
  Object.assign(process.env, SETTINGS, variablesOf(place.location));
});
beforeEach(() => {
  said.length = 0;
  for (const stream of [process.stdout, process.stderr])
    mock.method(stream, 'write', (text: unknown) => {
      said.push(String(text));
      return true;
    });
});
afterEach(() => mock.restoreAll());
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  await place.remove();
});

const use = (...words: string[]) => runCommandLine(words, '0.1.0');

/** Each command with a value for each argument that it needs. */
const ALL = await listCommands();
const calls = ALL.map(({ name, options = [] }) => ({
  name: wordsOf(name),
  words: wordsOf(name).split(' '),
  needed: [...name.matchAll(/</g)].map(() => 'value'),
  options,
}));

test.each(calls)('$name takes no unknown option', async ({ words, needed }) => {
  expect(await use(...words, ...needed, '--frobnicate')).toBe(2);
  expect(said.join('')).toContain("unknown option '--frobnicate'");
});

test.each(calls.filter(({ needed }) => needed.length > 0))(
  '$name asks for what it needs',
  async ({ words }) => {
    expect(await use(...words)).toBe(2);
    expect(said.join('')).toContain('missing required argument');
  },
);

const numbers = calls.flatMap(({ words, needed, options }) =>
  options.flatMap(([flags]) => {
    const [, flag] = /^(--\S+) <(?:n|number|seconds|hours)>$/.exec(flags) ?? [];
    return flag === undefined ? [] : [[[...words, ...needed, flag, 'x']]];
  }),
);

test.each([
  ...numbers,
  [['frobnicate']],
  [[]],
  [['doctor', 'value']],
  [['list', '--state', 'x']],
  [['list', '--sort', 'x']],
  [['keys', 'frobnicate']],
  [['keys', 'create']],
  [['queue', 'callbacks', 'frobnicate']],
  [['invoices', 'postpone', 'in_1', '--until', 'soon']],
  [['invoices', 'email', 'in_1', '--template', 'x']],
  [['queue', 'replay', '--events', '--type']],
  [['doctor', '--rehearse', '--story', 'x']],
  [['invoices']],
  [['invoices', 'frobnicate']],
  [['init', '--set', 'x']],
])('%j is wrong use', async (words) => {
  expect(await use(...words)).toBe(2);
  expect(said.join('')).not.toMatch(/settings have|NaN|\n +at /);
});

test('there are numbers to give wrongly', () => expect(numbers.length).toBeGreaterThan(8));

test('--help lists the commands in groups, the way to a running installation first', async () => {
  expect(await use('--help')).toBe(0);
  const help = said.join('');
  const at = [
    'Set up and run:',
    'init',
    'connect',
    'start',
    'doctor',
    'Try:',
    'sandbox',
    'Operate:',
    'status',
    'invoices +retry, postpone, email, stop, release, handback',
    'emails +test',
    'customers +stop, resume, card-link, forget',
    'queue +replay, dismiss, sync, callbacks',
    'Keep the data:',
    'db +backup, migrate, export, import',
    'playground: .* sandbox: .* assess: ',
  ];
  const places = at.map((word) => help.search(new RegExp(`^ *${word}`, 'm')));
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(places).not.toContain(-1);
});

test('each command of --help has one line of eighty columns, and there are about 24', async () => {
  await use('--help');
  const lines = said.join('').split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const rows = lines.slice(lines.indexOf('Set up and run:')).filter((line) => line.startsWith('  '));
  expect(rows.filter((line) => !/^ {2}[a-z-]+ {2,}\S/.test(line))).toEqual([]);
  expect(rows.length).toBeLessThanOrEqual(26);
});

test.each(['retry', 'migrate', 'sync-actions', 'rehearse', 'undo'])(
  'a name of before, %s, is unknown',
  async (name) => {
    expect(await use(name, 'in_1')).toBe(2);
    expect(said.join('')).toContain(`unknown command '${name}'`);
  },
);

test('--version is no wrong use', async () => {
  expect(await use('--version')).toBe(0);
  expect(said).toEqual(['0.1.0\n']);
});
