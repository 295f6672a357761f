/** Dockerfile, compose.yaml, the manifests and the unit: checked as far as it goes without building an image or a cluster. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { validate } from 'dockerfile-utils';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../src/plugin/settings/config.ts';
import { FILE_SUFFIX } from '../src/plugin/settings/schema/setting-files.ts';
import { SETTINGS } from '../src/plugin/settings/schema/settings.ts';
import { blockOf } from './support/http/page-commands.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'deployment-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dockerfile = read('Dockerfile');
const unit = read('docs/how-to/files/stripe-payment-retry.service');
const manifests = parseAllDocuments(read('docs/how-to/files/kubernetes.yaml')).map((document): unknown =>
  document.toJS(),
);
const known = new Set(Object.keys(SETTINGS).flatMap((name) => [name, `${name}${FILE_SUFFIX}`]));
/** Of others. */
const FOREIGN = new Set(['NODE_ENV', 'PGSSLROOTCERT']);
const unknownOf = (names: readonly string[]) =>
  names.filter((name) => !known.has(name) && !FOREIGN.has(name));

const lock = z
  .object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
  .parse(JSON.parse(read('package-lock.json')));

describe('Dockerfile', () => {
  const stages = dockerfile.split(/^(?=FROM )/m).slice(1);

  test('the Dockerfile has no instruction that Docker does not know', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([]);
  });

  test('the image runs as no root, says whether it is alive, and has a Node that package.json allows', () => {
    const last = stages.at(-1) ?? '';
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK (.*\\\n)+.*\/healthz/m);
    expect(last.indexOf('USER')).toBeGreaterThan(last.lastIndexOf('RUN'));
    const { engines } = z
      .object({ engines: z.object({ node: z.string() }) })
      .parse(JSON.parse(read('package.json')));
    expect(engines.node).toBe('>=22.12');
    for (const stage of stages) expect(stage).toMatch(/^FROM (node:22-|\$\{SOURCE\} )/);
  });

  test('what the Dockerfile copies is there, and .dockerignore lets it and nothing else through', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    );
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
    expect([...new Set(copied)].sort()).toEqual([...allowed].sort());
    for (const path of copied) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  });

  test('each source of the image is a stage, and the usual one is there without an argument', () => {
    const names = stages.flatMap((stage) => /^FROM \S+ AS (\w+)$/m.exec(stage)?.[1] ?? []);
    expect(names).toEqual(['clone', 'registry', 'packages']);
    expect(/^ARG SOURCE=(\w+)$/m.exec(dockerfile.slice(0, dockerfile.indexOf('FROM ')))?.[1]).toBe('clone');
    // Not even a folder is needed for what npm publishes.
    expect(stages[1]).not.toContain('COPY');
  });

  test('the settings that the image sets exist', () => {
    expect(
      unknownOf([...dockerfile.matchAll(/^(?:ENV| {3}) ([A-Z_]+)=/gm)].map(([, name = '']) => name)),
    ).toEqual([]);
  });

  test('the packages of the image take less than 60 MB, and none has native code', () => {
    const cut = /\.(d\.ts|d\.mts|d\.cts|map)$/;
    expect(dockerfile).toContain(`'*.d.ts'`);
    const files = Object.entries(lock.packages)
      .filter(([path, { dev }]) => path !== '' && !dev && existsSync(join(ROOT, path)))
      .flatMap(([path]) => filesOf(join(ROOT, path)));
    expect(files.length).toBeGreaterThan(1_000);
    expect(files.filter((path) => path.endsWith('.node'))).toEqual([]);
    const bytes = files.filter((path) => !cut.test(path)).map((path) => statSync(path).size);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(60_000_000);
  });
});

/** Without the packages inside a package: the lock file names those by themselves. */
function filesOf(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesOf(path);
    return [path];
  });
}

describe('compose.yaml', () => {
  const compose = z
    .object({
      services: z.record(
        z.string(),
        z.object({
          environment: z.record(z.string(), z.string()).default({}),
          secrets: z.array(z.string()).default([]),
          stop_grace_period: z.string().optional(),
          logging: z.object({ options: z.record(z.string(), z.string()) }),
          mem_limit: z.string(),
          networks: z.array(z.string()),
          pids_limit: z.number(),
        }),
      ),
      networks: z.record(z.string(), z.object({ internal: z.boolean() }).nullable()),
      secrets: z.record(z.string(), z.object({ file: z.string() })),
    })
    .parse(parse(read('compose.yaml')));

  test('compose.yaml is as the schema and the practices of Compose want it', async () => {
    const rules = ['no-build-and-image', 'services-alphabetical-order'].flatMap((rule) => [
      '--disable-rule',
      rule,
    ]);
    const dclint = join(ROOT, 'node_modules/dclint/bin/dclint.cjs');
    await expect(
      run(process.execPath, [dclint, ...rules, '--max-warnings', '0', 'compose.yaml'], { cwd: ROOT }),
    ).resolves.toMatchObject({ stderr: '' });
  });

  test('the commands that the page gives make the secrets of compose.yaml', () => {
    const script = blockOf('deployment.md', 'mkdir -m 700 secrets');
    const env = { PATH: process.env.PATH, STRIPE_SECRET_KEY: 'sk_test_1' };
    execFileSync('sh', ['-c', script], { cwd: folder, env, stdio: 'pipe' });
    writeFileSync(join(folder, 'secrets/stripe_webhook_secret'), 'whsec_1\n');
    expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^DOMAIN=/);
    for (const { file } of Object.values(compose.secrets)) expect(existsSync(join(folder, file))).toBe(true);
    const { environment = {} } = compose.services.plugin ?? {};
    const files = Object.entries(environment).filter(([name]) => name.endsWith(FILE_SUFFIX));
    const config = loadConfig(
      { retryMode: 'observe' },
      Object.fromEntries(files.map(([name, path]) => [name, path.replace('/run', folder)])),
    );
    expect(config.database).toMatchObject({
      url: expect.stringMatching(/^postgres:\/\/payment_retry:\w{48}@database\//),
    });
  });

  test('each container has limits, its log is rotated, and the database is reached by those that need it', () => {
    for (const { logging } of Object.values(compose.services))
      expect(logging.options).toEqual({ 'max-file': '5', 'max-size': '10m' });
    const near = Object.entries(compose.services).filter(([, { networks }]) => networks.includes('database'));
    expect(near.map(([name]) => name)).toEqual(['backup', 'database', 'plugin']);
    expect(compose.networks).toEqual({ database: { internal: true }, web: null });
  });

  test('each file of a setting in compose.yaml is a secret that the service is given', () => {
    const { environment = {}, secrets = [] } = compose.services.plugin ?? {};
    expect(unknownOf(Object.keys(environment))).toEqual([]);
    const files = Object.entries(environment).filter(([name]) => name.endsWith(FILE_SUFFIX));
    expect(files.map(([, path]) => path.replace('/run/secrets/', '')).sort()).toEqual([...secrets].sort());
    for (const { secrets: given } of Object.values(compose.services))
      for (const name of given) expect(Object.keys(compose.secrets)).toContain(name);
  });
});

describe('kubernetes.yaml', () => {
  const named = z.array(z.object({ apiVersion: z.string(), kind: z.string() })).parse(manifests);

  test('the Kubernetes manifests have only fields that their kinds have, each of its type', async () => {
    const folders: Record<string, string> = { v1: 'core/v1', 'networking.k8s.io/v1': 'networking/v1' };
    const source = named.map(({ apiVersion, kind }, index) => {
      const module = folders[apiVersion] ?? apiVersion;
      const type = `import('${join(ROOT, 'node_modules/kubernetes-types', module)}').${kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifests[index], null, 2)};`;
    });
    const file = join(folder, 'manifests.ts');
    writeFileSync(file, source.join('\n'));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const flags = [
      '--strict',
      '--noEmit',
      '--skipLibCheck',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ];
    const { stdout } = await run(process.execPath, [tsc, ...flags, '--types', '', file], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
    expect(named.map(({ kind }) => kind)).toEqual([
      'Service',
      'Deployment',
      'PodDisruptionBudget',
      'Ingress',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'CronJob',
    ]);
  });

  test('two replicas are probed, spread, and never both taken away', () => {
    const [, deployment, budget] = manifests;
    expect(deployment).toMatchObject({
      spec: {
        replicas: 2,
        strategy: { rollingUpdate: { maxUnavailable: 0 } },
        template: {
          spec: {
            securityContext: { runAsNonRoot: true },
            initContainers: [{ args: ['db', 'migrate'] }],
            containers: [
              {
                livenessProbe: { httpGet: { path: '/healthz' } },
                readinessProbe: { httpGet: { path: '/readyz' } },
              },
            ],
          },
        },
      },
    });
    expect(budget).toMatchObject({ spec: { minAvailable: 1 } });
  });

  test('the network policy is for the pods, lets requests in by their port, and what they call out', () => {
    const policy = manifests[named.findIndex(({ kind }) => kind === 'NetworkPolicy')];
    const labels = { 'app.kubernetes.io/name': 'payment-retry' };
    expect(policy).toMatchObject({
      spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress', 'Egress'] },
    });
    expect(policy).toMatchObject({ spec: { ingress: [{ ports: [{ port: 'http' }] }] } });
    const ports = JSON.stringify(policy).match(/"port":\d+/g);
    expect(ports).toEqual(expect.arrayContaining(['"port":53', '"port":5432', '"port":443']));
  });

  test('Prometheus is told the port and the path of the metrics', () => {
    expect(manifests[1]).toMatchObject({
      spec: {
        template: {
          metadata: {
            annotations: {
              'prometheus.io/scrape': 'true',
              'prometheus.io/port': '8080',
              'prometheus.io/path': '/metrics',
            },
          },
          spec: { containers: [{ ports: [{ name: 'http', containerPort: 8080 }] }] },
        },
      },
    });
  });

  test('the settings of the manifests exist', () => {
    const names = [...read('docs/how-to/files/kubernetes.yaml').matchAll(/\{ name: ([A-Z_]+), value:/g)];
    expect(names.length).toBeGreaterThan(5);
    expect(unknownOf(names.map(([, name = '']) => name))).toEqual([]);
  });
});

describe('hosting platforms', () => {
  const render = z
    .object({
      databases: z.array(z.object({ name: z.string(), ipAllowList: z.array(z.string()) })),
      services: z.array(
        z.object({
          healthCheckPath: z.string(),
          envVars: z.array(
            z.object({
              key: z.string(),
              value: z.string().optional(),
              fromDatabase: z.object({ name: z.string() }).optional(),
            }),
          ),
        }),
      ),
    })
    .parse(parse(read('docs/how-to/files/render.yaml')));
  const fly = read('docs/how-to/files/fly.toml');
  const [, env = ''] = /^\[env\]\n([^[]*)/m.exec(fly) ?? [];
  const ofFly = [...env.matchAll(/^ {2}([A-Z_]+) = "(.*)"$/gm)].map(([, key = '', value = '']) => ({
    key,
    value,
  }));

  test('the settings for Render and Fly.io exist, are valid, and begin with observing', () => {
    const ofRender = render.services.flatMap(({ envVars }) => envVars);
    for (const list of [ofRender, ofFly]) {
      expect(list.length).toBeGreaterThan(2);
      expect(unknownOf(list.map(({ key }) => key))).toEqual([]);
      const given = Object.fromEntries(list.flatMap(({ key, value }) => (value ? [[key, value]] : [])));
      const secrets = {
        DATABASE_URL: 'postgres://payment_retry:secret@database/payment_retry',
        STRIPE_SECRET_KEY: 'sk_test_1',
        STRIPE_WEBHOOK_SECRET: 'whsec_1',
        PUBLIC_URL: 'https://billing.example.com',
      };
      expect(loadConfig({}, { ...secrets, ...given })).toMatchObject({ mode: 'observe' });
    }
  });

  test('Render and Fly.io ask paths that answer, and nobody else reaches the database', () => {
    expect(render.services.map(({ healthCheckPath }) => healthCheckPath)).toEqual(['/healthz']);
    expect(fly).toMatch(/^ {4}path = "\/readyz"$/m);
    expect(dockerfile).toContain(`EXPOSE ${/internal_port = (\d+)/.exec(fly)?.[1]} `);
    expect(render.databases.map(({ ipAllowList }) => ipAllowList)).toEqual([[]]);
    const databases = render.services.flatMap(({ envVars }) =>
      envVars.flatMap((one) => one.fromDatabase ?? []),
    );
    expect(databases.map(({ name }) => name)).toEqual(render.databases.map(({ name }) => name));
  });

  test('Fly.io stops it by the signal it knows, late enough, and never for want of requests', () => {
    expect(fly).toMatch(/^kill_signal = "SIGTERM"$/m);
    expect(fly).toMatch(/^kill_timeout = "15s"$/m);
    expect(fly).toMatch(/^ {2}auto_stop_machines = "off"$/m);
  });
});

describe('the systemd unit', () => {
  const hasSystemd = existsSync('/usr/bin/systemd-analyze');

  (hasSystemd ? test : test.skip)('systemd finds nothing wrong with the unit', () => {
    const file = join(folder, 'stripe-payment-retry.service');
    // A program that is here.
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    expect(
      execFileSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8', stdio: 'pipe' }),
    ).toBe('');
  });

  test('it starts again after whatever ends it, but wrong settings', () => {
    expect(unit).toMatch(/^Restart=on-failure$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=2$/m);
  });

  test('each credential of the unit is the file of a setting that exists', () => {
    const credentials = [...unit.matchAll(/^LoadCredential=(\w+):/gm)].map(([, name]) => name);
    const settings = [...unit.matchAll(/^Environment=([A-Z_]+)=(?:%d\/(\w+))?/gm)];
    expect(unknownOf(settings.map(([, name = '']) => name))).toEqual([]);
    expect(settings.flatMap(([, , file]) => file ?? [])).toEqual(credentials);
  });
});
