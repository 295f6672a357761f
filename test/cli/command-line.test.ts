/** Wrong use of any command is told from failure: exit code 2, before anything is done. */
import { mock } from 'node:test';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { listCommands } from '../../src/cli/commands.ts';
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

/** What the command needs to be told, each as `value`. */
const wordsOf = (name: string) => name.split(' ').filter((word, at) => at === 0 || word.startsWith('<'));
const calls = (await listCommands()).map(({ name, options = [] }) => {
  const [command = '', ...needed] = wordsOf(name);
  return { command, needed: needed.map(() => 'value'), options };
});

test.each(calls)('$command takes no unknown option', async ({ command, needed }) => {
  expect(await use(command, ...needed, '--frobnicate')).toBe(2);
  expect(said.join('')).toContain("unknown option '--frobnicate'");
});

test.each(calls.filter(({ needed }) => needed.length > 0))(
  '$command asks for what it needs',
  async ({ command }) => {
    expect(await use(command)).toBe(2);
    expect(said.join('')).toContain('missing required argument');
  },
);

const numbers = calls.flatMap(({ command, needed, options }) =>
  options.flatMap(([flags]) => {
    const [, flag] = /^(--\S+) <(?:n|number|seconds|hours)>$/.exec(flags) ?? [];
    return flag === undefined ? [] : [[[command, ...needed, flag, 'x']]];
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
  [['callbacks', 'frobnicate']],
  [['postpone', 'in_1', '--until', 'soon']],
  [['mail', 'in_1', '--template', 'x']],
  [['replay', '--events', '--type']],
  [['rehearse', '--story', 'x']],
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
    'demo',
    'Operate:',
    'status',
    'Keep the data:',
  ];
  const places = at.map((word) => help.search(new RegExp(`^ *${word}`, 'm')));
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(places).not.toContain(-1);
});

test('--version is no wrong use', async () => {
  expect(await use('--version')).toBe(0);
  expect(said).toEqual(['0.1.0\n']);
});
