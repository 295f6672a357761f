/** The Helm chart: what it says by default is `kubernetes.yaml`. Rendered by `helm`, found on the PATH or named by HELM, where there is one. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { SETTINGS } from '../src/plugin/settings/schema/settings.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CHART = join(ROOT, 'docs/how-to/files/helm/stripe-payment-retry');
const read = (path: string) => readFileSync(path, 'utf8');

const helm = findHelm();
const whenHelm = helm === undefined ? test.skip : test;

const values = z
  .object({
    settings: z.record(z.string(), z.string()),
    secret: z.looseObject({ settings: z.array(z.string()) }),
  })
  .loose()
  .parse(parse(read(join(CHART, 'values.yaml'))));

test('the chart has the version of the package, as its own and as its image', () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(read(join(ROOT, 'package.json'))));
  expect(parse(read(join(CHART, 'Chart.yaml')))).toMatchObject({ version, appVersion: version });
});

test('each value that a template reads is there, and each that is there is read', () => {
  const templates = readdirSync(join(CHART, 'templates')).map((name) => read(join(CHART, 'templates', name)));
  const used = templates.flatMap((text) =>
    [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path),
  );
  const given = Object.entries(values).flatMap(([name, value]) =>
    ['image', 'secret', 'ingress', 'networkPolicy', 'backup'].includes(name)
      ? Object.keys(z.record(z.string(), z.unknown()).parse(value)).map((key) => `${name}.${key}`)
      : [name],
  );
  const places = new Set(used.map((path) => path.replace(/^(settings)\..*/, '$1')));
  expect([...places].sort()).toEqual(given.sort());
});

test('its settings exist, and it begins with observing', () => {
  const names = [...Object.keys(values.settings), ...values.secret.settings];
  expect(names.filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([]);
  expect(values.settings).toMatchObject({ RETRY_MODE: 'observe' });
});

whenHelm('with its defaults it is kubernetes.yaml', () => {
  const manifests = parseAllDocuments(read(join(ROOT, 'docs/how-to/files/kubernetes.yaml'))).map((one) =>
    comparable(one.toJS()),
  );
  const rendered = render('payment-retry');
  expect(rendered.length).toBe(manifests.length);
  expect(rendered.map(comparable)).toEqual(expect.arrayContaining(manifests));
});

whenHelm('helm finds nothing to complain of', () => {
  expect(run('lint', '--strict', CHART)).toContain('0 chart(s) failed');
});

whenHelm('what is switched off is not there, and another release has other names', () => {
  const off = ['ingress', 'networkPolicy', 'backup'].flatMap((part) => ['--set', `${part}.enabled=false`]);
  const rendered = render('eu', ...off, '--set', 'replicas=1').map((one) =>
    z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) }).parse(one),
  );
  expect(rendered.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
    'Deployment eu',
    'Service eu',
  ]);
});

whenHelm('a setting is a string of digits as it was written, and the host is that of PUBLIC_URL', () => {
  const text = run(
    ...['template', 'payment-retry', CHART, '--set', 'settings.MAX_CHARGES_PER_MINUTE=2000000'],
    ...['--set', 'settings.PUBLIC_URL=https://pay.example.com/retry'],
  );
  expect(text).toContain('{ name: MAX_CHARGES_PER_MINUTE, value: "2000000" }');
  expect(text).toContain('hosts: [pay.example.com]');
});

whenHelm.each([
  ['settings.PUBLIC_URL=http://pay.example.com', /settings\/PUBLIC_URL/],
  ['replicas=0', /replicas/],
  ['setings.RETRY_MODE=advisory', /setings/],
  ['secret.settings={STRIPE_SECRET_KEY}', /secret\/settings/],
])('%s is refused by name', (value, named) => {
  expect(() => run('template', 'payment-retry', CHART, '--set', value)).toThrow(named);
});

function findHelm(): string | undefined {
  const command = process.env.HELM ?? 'helm';
  try {
    execFileSync(command, ['version'], { stdio: 'ignore' });
    return command;
  } catch {
    return undefined;
  }
}

function run(...words: string[]): string {
  return execFileSync(helm ?? '', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function render(release: string, ...more: string[]): unknown[] {
  return parseAllDocuments(run('template', release, CHART, ...more)).flatMap((one) => one.toJS() ?? []);
}

/** Without what a release adds, its environment in one order, each value as the string that Kubernetes takes it for. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map(comparable);
    return list.every(isVariable) ? list.sort((one, other) => one.name.localeCompare(other.name)) : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  const added = ['app.kubernetes.io/instance', 'imagePullPolicy', 'helm.sh/resource-policy'];
  const entries = Object.entries(value).filter(
    ([key, one]) => !added.includes(key) && !(key === 'annotations' && 'helm.sh/resource-policy' in one),
  );
  return Object.fromEntries(entries.map(([key, one]) => [key, comparable(one)]));
}

function isVariable(value: unknown): value is { name: string; value: string } {
  return typeof value === 'object' && value !== null && 'name' in value && 'value' in value;
}
