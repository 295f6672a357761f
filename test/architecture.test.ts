/** The import rules of the folders, read from the source itself. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

interface SourceFile {
  /** Relative to src/. */
  path: string;
  text: string;
  /** What it imports of our own, relative to src/. */
  imports: string[];
  /** Those that are there when it runs: not `import type`. */
  runtime: string[];
  /** Of these, those that are loaded with it: not `import(…)`. */
  atOnce: string[];
  /** What it imports from elsewhere. */
  packages: string[];
}

/** `import … from`, `export … from`, `import '…'` and `import('…')`; the first group is what is imported. */
const IMPORT =
  /(?:^|\n)(?:import|export)\s([^;'"]*?)from\s*['"]([^'"]+)['"]|(?:^|[\s(])import\s*\(?\s*['"]([^'"]+)['"]/g;

function readSource(path: string): SourceFile {
  const text = readFileSync(join(SRC, path), 'utf8');
  const found = [...text.matchAll(IMPORT)].map(([, what = '', from, bare]) => ({
    what,
    name: from ?? bare ?? '',
  }));
  const own = found
    .filter(({ name }) => name.startsWith('.'))
    .map(({ what, name }) => ({ what, name: relative(SRC, join(SRC, dirname(path), name)) }));
  const runtime = own.filter(({ what }) => !isTypeOnly(what));
  return {
    path,
    text,
    imports: own.map(({ name }) => name),
    runtime: runtime.map(({ name }) => name),
    atOnce: runtime.filter(({ what }) => what !== '').map(({ name }) => name),
    packages: found.map(({ name }) => name).filter((name) => !name.startsWith('.')),
  };
}

function isTypeOnly(what: string): boolean {
  if (/^type\s/.test(what)) return true;
  const names = /^\{([^}]*)\}\s*$/
    .exec(what)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return names?.every((name) => name.trim().startsWith('type ')) ?? false;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map(readSource);
const byPath = new Map(files.map((file) => [file.path, file]));

/** Doors, and files beside them: what each imports besides itself. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  service: ['core'],
  plugin: ['core'],
  // It alone opens the embedded service.
  'plugin/app': ['core', 'plugin', 'service'],
  workbench: ['core', 'plugin', 'service', 'index.ts'],
  cli: ['core', 'plugin', 'service', 'workbench', 'index.ts'],
  'index.ts': ['core', 'plugin'],
  'testing.ts': ['workbench', 'plugin'],
  'cli.ts': ['cli', 'core'],
};

/** Rooms of the two doors that are large, from below: each imports the rows before its own, and itself. */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [['base'], ['telemetry', 'declines'], ['contract', 'limits'], ['web'], ['database'], ['jobs']],
  plugin: [
    ['settings'],
    ['actions', 'reasons'],
    ['clients', 'store'],
    ['jobs', 'mails'],
    ['sync', 'retry'],
    ['operator'],
    ['app'],
  ],
};

const isIn =
  (...places: readonly string[]) =>
  (path: string): boolean =>
    places.some((place) => (/\.tsx?$/.test(place) ? path === place : path.startsWith(`${place}/`)));

/** `file -> import` for what the rule forbids. */
function violations(from: (path: string) => boolean, isAllowed: (path: string) => boolean): string[] {
  return files
    .filter(({ path }) => from(path))
    .flatMap(({ path, imports }) =>
      imports.filter((name) => !isAllowed(name)).map((name) => `${path} -> ${name}`),
    );
}

test('every import of ours names a file that exists', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(
    violations(
      () => true,
      (name) => existsSync(join(SRC, name)),
    ),
  ).toEqual([]);
  expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(300);
});

test('every file is behind a door', () => {
  const known = isIn(...Object.keys(DOORS));
  expect(files.map(({ path }) => path).filter((path) => !known(path))).toEqual([]);
});

test.each(Object.entries(DOORS))('%s imports nothing but itself and %j', (door, others) => {
  const inner = Object.keys(DOORS).filter((other) => other.startsWith(`${door}/`));
  const from = (path: string) => isIn(door)(path) && !isIn(...inner)(path);
  const isAllowed = (name: string) => isIn(door, ...others)(name) && !isIn(...inner)(name);
  expect(violations(from, isAllowed)).toEqual([]);
});

test.each(
  Object.entries(ROOMS).flatMap(([door, rows]) =>
    rows.flatMap((units, index) =>
      units.map((unit) => ({
        room: `${door}/${unit}`,
        upper: [...units.filter((other) => other !== unit), ...rows.slice(index + 1).flat()].map(
          (other) => `${door}/${other}`,
        ),
      })),
    ),
  ),
)('$room imports no room beside or above it', ({ room, upper }) => {
  expect(violations(isIn(room), (name) => !isIn(...upper)(name))).toEqual([]);
});

test('the doors hold every room that their orders name, and no other', () => {
  for (const [door, rows] of Object.entries(ROOMS))
    expect(rows.flat().sort()).toEqual(
      readdirSync(join(SRC, door), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
    );
});

test('no two files have one name', () => {
  const names = files.map(({ path }) => path);
  const seen = new Set<string>();
  const isRepeated = (path: string) => seen.has(basename(path)) || !seen.add(basename(path));
  expect(names.filter(isRepeated)).toEqual([]);
});

test('sync and retry take from jobs only types: the means to enqueue are given to them', () => {
  const runtime = files
    .filter(({ path }) => isIn('plugin/sync', 'plugin/retry')(path))
    .flatMap(({ runtime }) => runtime);
  expect(runtime.filter(isIn('core/jobs', 'plugin/jobs'))).toEqual([]);
});

test('a command is loaded when it runs', () => {
  const loaded = new Set(['cli.ts']);
  for (const path of loaded) for (const name of byPath.get(path)?.atOnce ?? []) loaded.add(name);
  expect(loaded).toContain('cli/commands.ts');
  expect([...loaded].filter((path) => !isIn('cli', 'cli.ts', 'core/base')(path))).toEqual([]);
  expect([...loaded].filter((path) => /-command\.ts$/.test(path))).toEqual([]);
});

/** Types that name each other are gone when the program runs; code that needs itself to load is not. */
test('no import leads back to its own file', () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of byPath.get(path)?.runtime ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  expect(cycles).toEqual([]);
});

const PARENTS = [...new Set(files.map(({ path }) => dirname(path)).flatMap(withParents))].sort();

function withParents(folder: string): string[] {
  return folder === '.' ? [] : [folder, ...withParents(dirname(folder))];
}

/** What lies in a folder itself, files and folders, with what each imports of the others; types count. */
function importsWithin(folder: string): Map<string, Set<string>> {
  const unitOf = (path: string) => path.slice(folder.length + 1).split('/', 1)[0] ?? '';
  const units = new Map<string, Set<string>>();
  for (const { path, imports } of files.filter((file) => isIn(folder)(file.path))) {
    const others = units.get(unitOf(path)) ?? new Set();
    for (const name of imports.filter(isIn(folder))) others.add(unitOf(name));
    units.set(unitOf(path), others);
  }
  return units;
}

/** One of each circle: what imports itself by way of others, the first by name. */
function circles(units: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reached = new Map([...units.keys()].map((unit) => [unit, reachedFrom(unit, units)]));
  const isOneCircle = (a: string, b: string) => reached.get(a)?.has(b) && reached.get(b)?.has(a);
  const circular = [...units.keys()].filter((a) =>
    [...units.keys()].some((b) => a !== b && isOneCircle(a, b)),
  );
  return circular.sort().filter((a, index) => !circular.slice(0, index).some((b) => isOneCircle(a, b)));
}

function reachedFrom(unit: string, units: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set(units.get(unit));
  for (const next of reached) for (const further of units.get(next) ?? []) reached.add(further);
  return reached;
}

test.each(PARENTS)('what lies in %s imports in one direction', (folder) => {
  expect(circles(importsWithin(folder))).toEqual([]);
});

/** Where a pattern occurs outside comments, as `file: line`. */
function occurrences(pattern: RegExp, where: (path: string) => boolean): string[] {
  return files
    .filter(({ path }) => where(path))
    .flatMap(({ path, text }) =>
      withoutComments(text)
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

test('SQL is written only in the store', () => {
  const SQL =
    /[`'"]\s*(with\b.*\bas \(|select |insert into |update \w+[.$]|delete from |create table|alter table|truncate )/;
  expect(occurrences(SQL, isIn('plugin/store')).length).toBeGreaterThan(20);
  const HEALTH = /select 1 as one/;
  const outside = occurrences(SQL, (path) => !isIn('plugin/store', 'service/store', 'core/database')(path));
  expect(outside.filter((line) => !HEALTH.test(line))).toEqual([]);
});

test('what the guards ask about an invoice and its card is read in one place', () => {
  const isAsking = (path: string) =>
    path.startsWith('plugin/retry/') && !path.startsWith('plugin/retry/invoice/');
  const found = occurrences(/\b(readHolds|withKnownDetails|listUnreportedAttempts)\(/, isAsking);
  // Before its time, from stored rows alone.
  const beforeItsTime = 'plugin/retry/instructions/planning-facts.ts';
  // Of a card that is not the invoice's.
  const ofNewCard = 'plugin/retry/payment/pay-open-invoices.ts';
  expect([...new Set(found.map((line) => line.split(':', 1)[0]))].sort()).toEqual([
    'plugin/retry/guards/facts.ts',
    beforeItsTime,
    ofNewCard,
  ]);
});

test('no error or date is known by the realm that made it', () => {
  const NATIVE = /instanceof (Error|SyntaxError|TypeError|AggregateError|Date)\b/;
  // A thread's own files are loaded by Node alone.
  const isShared = (path: string) =>
    !isIn('core/base/errors.ts')(path) && !isIn('core/database/pglite')(path);
  expect(occurrences(NATIVE, isShared)).toEqual([]);
});

/** Files that read variables of others, which no option replaces. */
const ENVIRONMENT_READERS: Readonly<Record<string, string>> = {
  'core/database/own-client.ts': "libpq's, as the driver reads them",
  'plugin/app/own-plugin.ts': "the platform's, by which a disk that does not last is known",
};

test('only the command line hands the environment over', () => {
  const READS = /(?<!`environment: |such as )process\.env\b/;
  expect(occurrences(READS, isIn('cli'))).not.toEqual([]);
  const others = occurrences(READS, (path) => !isIn('cli')(path)).map((line) => line.split(':', 1)[0]);
  expect([...new Set(others)].sort()).toEqual(Object.keys(ENVIRONMENT_READERS));
});

test('only core/base/clock.ts reads the time', () => {
  const CLOCK = /Date\.now\(|new Date\(\)|DateTime\.(now|utc|local)\(\)/;
  expect(occurrences(CLOCK, isIn('core/base/clock.ts'))).toHaveLength(1);
  expect(occurrences(CLOCK, (path) => path !== 'core/base/clock.ts')).toEqual([]);
});

/** Two words and more, beginning in a literal or a pattern. */
const WORDS = `[A-Za-z]{2,}[,:;.']? +[a-z]{2,}`;
const SEARCHES = String.raw`\.(?:startsWith|endsWith|includes|indexOf|match|matchAll|search|replace|replaceAll|split)\(\s*`;

test('nothing is found out from a sentence: what code asks for is a code', () => {
  const COMPARED = [
    // Of ours: a sentence that is looked for, or compared.
    new RegExp(`${SEARCHES}(['"\`/])(?:(?!\\1).)*?${WORDS}`),
    new RegExp(`[!=]==\\s*(['"\`])(?:(?!\\1).)*?${WORDS}`),
    new RegExp(`(?:^|[\\s(=,?:])/(?![/*])[^/]*${WORDS}[^/]*/[dgimsuy]*(?:\\.(?:test|exec)\\(|[;,)]|$)`),
    new RegExp(`(?:\\blike|\\bstarts_with\\([^,]+,|[^-]~\\*?)\\s*'[^']*?${WORDS}`),
    // Of others: an error is known by its code.
    /\.message\s*(?:[!=]==|\.(?:startsWith|endsWith|includes|indexOf|match|search)\()/,
    /\.(?:test|exec)\((?:\w+\.)*message\b/,
  ];
  // It reads pages as the demo's customers do.
  const isSource = (path: string) => path !== 'workbench/customers/follow-link.ts';
  const found = COMPARED.flatMap((pattern) => occurrences(pattern, isSource));
  // The kernel tells the limit in no other way.
  expect(found.map((line) => line.split(':', 1)[0])).toEqual(['core/web/http-server.ts']);
});

/** Decisions: the same input gives the same answer. */
const PURE_FOLDERS = [
  'service/policy',
  'scripts/simulate',
  'plugin/sync/map',
  'core/declines',
  'core/limits',
  'workbench/assess/figures',
];
/** Parts of other folders that decide. */
const PURE_FILES = [
  'plugin/sync/events/freshness.ts',
  'plugin/sync/deliver/backoff.ts',
  'plugin/retry/instructions/plan-instruction.ts',
  'plugin/retry/instructions/judge-listed-record.ts',
  'plugin/retry/instructions/listing-pass.ts',
  'plugin/retry/guards/guards.ts',
  'plugin/retry/guards/network-limits.ts',
  'plugin/retry/guards/card-history.ts',
  'plugin/retry/payment/outcome.ts',
  'plugin/retry/invoice/payable-invoice.ts',
  'plugin/retry/payment/settle-attempt.ts',
  'service/policy/classify-decline.ts',
  'core/limits/sending-window.ts',
  'core/base/time-zones.ts',
  'plugin/mails/customer-email.ts',
];
/** They write what they have drawn or counted. */
const WRITERS = ['scripts/simulate/run-simulation.ts'];
const PURE = [...files.map(({ path }) => path).filter(isIn(...PURE_FOLDERS)), ...PURE_FILES].filter(
  (path) => !isIn(...WRITERS)(path),
);
const PURE_PACKAGES: ReadonlySet<string> = new Set([
  'luxon',
  'node:util',
  'stripe',
  'zod',
  'countries-and-timezones',
  'd3-scale',
  'd3-shape',
  'preact',
  'preact-render-to-string',
]);

test.each(PURE)('%s decides without input, output, clock or chance', (path) => {
  const file = byPath.get(path);
  expect(file?.packages.filter((name) => !PURE_PACKAGES.has(name))).toEqual([]);
  expect(
    occurrences(/\basync\b|\bawait\b|Math\.random|randomUUID|\bfetch\(|\bprocess\./, isIn(path)),
  ).toEqual([]);
  expect(
    file?.runtime.filter(
      isIn('plugin/store', 'core/jobs', 'plugin/clients/service-client.ts', 'plugin/clients/mailer.ts'),
    ),
  ).toEqual([]);
});

test('the architecture page names only files that exist', () => {
  const page = readFileSync(join(SRC, '../docs/concepts/architecture.md'), 'utf8');
  const named = [...page.matchAll(/`([\w-]+\/[\w/-]+\.tsx?)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !path.startsWith('test/') && !byPath.has(path))).toEqual([]);
});

test('the architecture page names every door, and every room in its row', () => {
  const page = readFileSync(join(SRC, '../docs/concepts/architecture.md'), 'utf8');
  const rows = new Map(
    [...page.matchAll(/^\| `([\w-]+)` \|(.*)$/gm)].map(([, door = '', rooms = '']) => [door, rooms]),
  );
  const rooms = readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => relative(SRC, join(parentPath, name)).split('/'))
    .filter((path) => path.length === 2);
  expect(rooms.length).toBeGreaterThan(30);
  expect(rooms.filter(([door = '', room]) => !rows.get(door)?.includes(`\`${room}\``))).toEqual([]);
});

test('the walk of an instruction ends after ten files, in the one that calls invoices.pay', () => {
  const page = readFileSync(join(SRC, '../docs/concepts/architecture.md'), 'utf8');
  const walk = [...page.matchAll(/^\d+\. `([\w/-]+\.ts)`/gm)].map(([, path = '']) => path);
  expect(walk).toHaveLength(10);
  expect(walk.map((path) => /\binvoices\.pay\(/.test(byPath.get(path)?.text ?? ''))).toEqual([
    ...Array(9).fill(false),
    true,
  ]);
});

test('no file has more than 300 lines', () => {
  const long = files.filter(({ text }) => text.split('\n').length > 301).map(({ path }) => path);
  expect(long).toEqual([]);
});

test.each(['plugin/store', 'service'])('each migration of the %s has a number of its own', (part) => {
  const numbers = readdirSync(join(SRC, part, 'migrations')).map((name) => name.slice(0, 4));
  expect(numbers).toContain('0001');
  expect(new Set(numbers).size).toBe(numbers.length);
});

/** What their modules keep changes no result: by what it is kept for. */
const KEEPERS: Readonly<Record<string, string>> = {
  'service/policy/timing/own-mornings.ts': 'offsets that are always the same',
  'service/policy/classify-decline.ts': 'what codes mean, which is always the same',
  'service/policy/timing/choose-morning.ts': 'room for one plan, which each writes anew',
  'core/database/pglite/pglite-thread.ts':
    'the compiled engine of the embedded database, which is always the same',
  'plugin/clients/request-budget.ts': 'for whom a call is made, along with the call',
};

// Two plugins in one process would share it, and so would the tests of one worker (`support/runner/node-runtime.js`). What a WeakMap
// holds belongs to its key.
test('no module keeps anything that changes', () => {
  const keeps = /^(export )?((let|var) |const [a-z]\w*\b.* = (new (?!WeakMap)|\[|\{\}))/m;
  const keepers = files.filter(({ text }) => keeps.test(text)).map(({ path }) => path);
  expect(keepers.sort()).toEqual(Object.keys(KEEPERS).sort());
});
