/** The import rules of the folders, read from the source itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
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
  return {
    path,
    text,
    imports: own.map(({ name }) => name),
    runtime: own.filter(({ what }) => !isTypeOnly(what)).map(({ name }) => name),
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
  .filter((path) => path.endsWith('.ts'))
  .map(readSource);
const byPath = new Map(files.map((file) => [file.path, file]));

/** Each may import those before it. */
const FOUNDATIONS = [
  'errors.ts',
  'account.ts',
  'loopback.ts',
  'stable-uuid.ts',
  'action-origin.ts',
  'declines/usual-limits.ts',
  'declines/decline-row.ts',
  'declines/card-declines.ts',
  'declines/method-declines.ts',
  'declines/network-codes.ts',
  'declines/find-decline.ts',
  'sending-window.ts',
  'time-zones.ts',
  'clock.ts',
  'logger.ts',
  'contract.ts',
  'contract-extensions.ts',
  'timing-report.ts',
  'recovery-cases.ts',
  'listed-record.ts',
  'settings.ts',
  'setting-reader.ts',
  'service-settings.ts',
  'connected-accounts.ts',
  'attempt-limits.ts',
  'config.ts',
  'accounts.ts',
  'keyed-lanes.ts',
  'http-errors.ts',
  'require-https.ts',
  'http-server.ts',
  'same-secret.ts',
  'page-protection.ts',
];

const isIn =
  (...places: readonly string[]) =>
  (path: string): boolean =>
    places.some((place) => (place.endsWith('.ts') ? path === place : path.startsWith(`${place}/`)));
const isFoundation = isIn(...FOUNDATIONS);

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
      (name) => byPath.has(name),
    ),
  ).toEqual([]);
  expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(300);
});

test('foundations import only foundations further down', () => {
  const upwards = FOUNDATIONS.flatMap((path, index) =>
    violations(isIn(path), isIn(...FOUNDATIONS.slice(0, index))),
  );
  expect(upwards).toEqual([]);
  expect(FOUNDATIONS.filter((path) => !byPath.has(path))).toEqual([]);
});

/** Which folder may import what besides foundations and itself. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  store: [],
  clients: [],
  email: [],
  jobs: ['store'],
  sync: ['store', 'clients', 'jobs'],
  retry: ['store', 'clients', 'jobs', 'email'],
  service: [
    'store/database.ts',
    'store/migrate.ts',
    'store/group-commit.ts',
    'jobs/jobs.ts',
    'email/html.ts',
  ],
  words: ['store', 'retry/attempt-codes.ts', 'retry/decline-classes.ts', 'email/format-money.ts'],
  console: ['store', 'words', 'email/html.ts'],
  simulation: ['service/policy'],
  sandbox: [],
};

test.each(Object.entries(RULES))('%s/ imports nothing but foundations and %j', (folder, others) => {
  const isAllowed = isIn(folder, ...others);
  expect(violations(isIn(folder), (name) => isAllowed(name) || isFoundation(name))).toEqual([]);
});

test('sync and retry take from jobs only types: the means to enqueue are given to them', () => {
  const runtime = files.filter(({ path }) => isIn('sync', 'retry')(path)).flatMap(({ runtime }) => runtime);
  expect(runtime.filter(isIn('jobs'))).toEqual([]);
});

test('the sandbox is reached only by the demo', () => {
  const outside = (path: string) => !isIn('sandbox', 'cli/demo', 'cli/demo.ts')(path);
  expect(violations(outside, (name) => !isIn('sandbox')(name))).toEqual([]);
});

test('the simulation is reached only by its command, and the policy knows nothing of it', () => {
  const outside = (path: string) => !isIn('simulation', 'cli/simulate.ts')(path);
  expect(violations(outside, (name) => !isIn('simulation')(name))).toEqual([]);
});

test('only the plugin, the server and the commands see everything', () => {
  const ATOP = [
    'assemble.ts',
    'assembly',
    'plugin.ts',
    'server.ts',
    'cli.ts',
    'index.ts',
    'operator-router.ts',
  ];
  const known = isIn(...Object.keys(RULES), ...FOUNDATIONS, ...ATOP, 'cli');
  expect(files.map(({ path }) => path).filter((path) => !known(path))).toEqual([]);
  expect(
    violations(
      (path) => !isIn(...ATOP, 'cli')(path),
      (name) => !isIn(...ATOP, 'cli')(name),
    ),
  ).toEqual([]);
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
  expect(occurrences(SQL, isIn('store')).length).toBeGreaterThan(20);
  const HEALTH = /select 1 as one/;
  const outside = occurrences(SQL, (path) => !isIn('store', 'service/store')(path));
  expect(outside.filter((line) => !HEALTH.test(line))).toEqual([]);
});

test('only config.ts reads the environment', () => {
  expect(occurrences(/process\.env\b/, isIn('config.ts'))).toHaveLength(1);
  expect(occurrences(/process\.env\b/, (path) => path !== 'config.ts')).toEqual([]);
});

test('only clock.ts reads the time', () => {
  const CLOCK = /Date\.now\(|new Date\(\)|DateTime\.(now|utc|local)\(\)/;
  expect(occurrences(CLOCK, isIn('clock.ts'))).toHaveLength(1);
  expect(occurrences(CLOCK, (path) => path !== 'clock.ts')).toEqual([]);
});

/** Decisions: the same input gives the same answer. */
const isPureFolder = (path: string) => isIn('service/policy', 'simulation')(path);
const PURE = [
  ...files.map(({ path }) => path).filter(isPureFolder),
  'sync/map-subscription.ts',
  'sync/map-invoice.ts',
  'sync/map-transaction.ts',
  'sync/price-amount.ts',
  'sync/tier-amount.ts',
  'sync/fixed-amount.ts',
  'sync/subscription-amount.ts',
  'sync/stripe-parts.ts',
  'sync/printable-text.ts',
  'sync/freshness.ts',
  'sync/backoff.ts',
  'retry/schedule.ts',
  'retry/judge-listed-record.ts',
  'retry/listing-pass.ts',
  'retry/guards.ts',
  'retry/outcome.ts',
  'retry/decline-classes.ts',
  'retry/network-limits.ts',
  'retry/card-history.ts',
  'retry/payable-invoice.ts',
  'retry/settle-attempt.ts',
  'service/classify-decline.ts',
  'declines/find-decline.ts',
  'sending-window.ts',
  'time-zones.ts',
  'email/customer-email.ts',
];
const PURE_PACKAGES: ReadonlySet<string> = new Set([
  'luxon',
  'node:util',
  'stripe',
  'zod',
  'countries-and-timezones',
]);

test.each(PURE)('%s decides without input, output, clock or chance', (path) => {
  const file = byPath.get(path);
  expect(file?.packages.filter((name) => !PURE_PACKAGES.has(name))).toEqual([]);
  expect(
    occurrences(/\basync\b|\bawait\b|Math\.random|randomUUID|\bfetch\(|\bprocess\./, isIn(path)),
  ).toEqual([]);
  expect(
    file?.runtime.filter(isIn('store', 'jobs', 'clients/service-client.ts', 'clients/mailer.ts')),
  ).toEqual([]);
});

test('no file has more than 300 lines', () => {
  const long = files.filter(({ text }) => text.split('\n').length > 301).map(({ path }) => path);
  expect(long).toEqual([]);
});
