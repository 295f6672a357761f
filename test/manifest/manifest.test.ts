/** The manifests of both Stripe Apps: what is asked of a merchant, and what Stripe documents about their fields. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { CALL_PERMISSIONS, listPermissions } from '../../scripts/docs/app-permissions.ts';
import { renderAnswerTypes, VIEW_TYPES } from '../../scripts/docs/render-answer-types.ts';
import {
  findManifestProblems,
  renderKeyManifest,
  renderPrivateManifest,
} from '../../scripts/docs/render-app-manifest.ts';
import { HANDLERS } from '../../src/plugin/sync/events/handlers.ts';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = (path: string) => readFileSync(at(path), 'utf8');

/** As `stripe.invoices.pay(`, also over several lines. */
const CALL = /\bstripe((?:\s*\.\s*[a-zA-Z]+)+)\s*\(/g;
/** Answered by the library itself. */
const LOCAL = /^(on|webhooks\..*)$/;

function listCalls(): string[] {
  const sources = readdirSync(at('src/plugin/clients'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(`src/plugin/clients/${name}`));
  const calls = sources.flatMap((source) =>
    [...source.matchAll(CALL)].map(([, path = '']) => path.replace(/\s|^\./g, '').replace(/^\./, '')),
  );
  return [...new Set(calls.filter((call) => !LOCAL.test(call)))].sort();
}

test('each call of Stripe in src/plugin/clients has its permissions, and no permission is for a call that is not there', () => {
  const calls = listCalls();
  expect(calls).toContain('invoices.pay');
  expect(calls).toContain('billingPortal.sessions.create');
  expect(calls).toEqual(Object.keys(CALL_PERMISSIONS).sort());
});

test('Stripe is called from src/plugin/clients alone', () => {
  const others = readdirSync(at('src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/^(plugin\/clients|workbench\/sandbox)\//.test(name),
  );
  expect(others.filter((name) => /\bnew Stripe\(/.test(read(`src/${name}`)))).toEqual([]);
});

test('each handled event has its permissions, but those that need none and one whose permission is not documented', () => {
  const without = [...HANDLERS].filter(([, { object }]) => object.permissions.length === 0);
  expect(without.map(([type]) => type)).toEqual([
    'account.application.authorized',
    'account.application.deauthorized',
    'v2.signals.payment_retry_evaluations.retry_recommended',
  ]);
});

test('the manifest asks for these permissions once each, with a purpose', () => {
  const needed = [
    ...Object.values(CALL_PERMISSIONS),
    ...[...HANDLERS.values()].map(({ object }) => object.permissions),
  ].flat();
  const asked = listPermissions();
  expect(asked.map(({ permission }) => permission)).toEqual([...new Set([...needed, 'event_read'])].sort());
  expect(asked.every(({ purpose }) => /^[A-Z].{15,}\.$/.test(purpose))).toBe(true);
});

const RENDERED = { private: renderPrivateManifest(), 'restricted-key': renderKeyManifest() };
const APPS = ['private', 'restricted-key'] as const;

test.each(APPS)('the manifest of the app %s is the one that the script writes, and has no problem', (app) => {
  expect(read(`manifest/${app}/stripe-app.json`)).toBe(RENDERED[app]);
  expect(findManifestProblems(RENDERED[app])).toEqual([]);
});

test('the key app hands out a restricted key, and has settings alone', () => {
  expect(JSON.parse(RENDERED['restricted-key'])).toMatchObject({
    stripe_api_access_type: 'restricted_api_key',
    permissions: listPermissions(),
    ui_extension: { views: [{ viewport: 'settings', component: 'KeySettings' }] },
    post_install_action: { type: 'settings' },
  });
});

test('the private app asks for no permission, and no view calls the API of Stripe', () => {
  expect(JSON.parse(RENDERED.private)).toMatchObject({ permissions: [], stripe_api_access_type: 'platform' });
  const sources = APPS.flatMap((app) =>
    readdirSync(at(`manifest/${app}/src`), { recursive: true, encoding: 'utf8' }).map(
      (name) => `manifest/${app}/src/${name}`,
    ),
  );
  const calling = sources.filter(
    (path) => /\.tsx?$/.test(path) && /createHttpClient|apiFetch|from 'stripe'/.test(read(path)),
  );
  expect(calling).toEqual([]);
});

test.each(APPS)('the app %s says that it does not support sandboxes', (app) => {
  expect(JSON.parse(RENDERED[app])).toMatchObject({ sandbox_install_compatible: false });
});

test('the private app is shown in five places, each with a view of its own', () => {
  const { ui_extension } = placed.parse(JSON.parse(RENDERED.private));
  expect(ui_extension.views.map(({ viewport }) => viewport)).toEqual([
    'stripe.dashboard.invoice.detail.page-module',
    'stripe.dashboard.customer.detail.page-module',
    'stripe.dashboard.drawer.default',
    'settings',
    'onboarding',
  ]);
  expect(new Set(listComponents('private')).size).toBe(5);
});

test('the types of the answers in the views are those of the server', () => {
  expect(read(VIEW_TYPES)).toBe(renderAnswerTypes());
});

test.each<[string, (manifest: Record<string, unknown>) => void]>([
  ['icon', (it) => Object.assign(it, { icon: 'icon.png' })],
  ['name', (it) => Object.assign(it, { name: 'Retry app for Stripe' })],
  ['id', (it) => Object.assign(it, { id: 'com example' })],
  ['post_install_action.type', (it) => Object.assign(it, { post_install_action: { type: 'modal' } })],
  ['', (it) => Object.assign(it, { connect_permissions: [] })],
  [
    'ui_extension.views.0.viewport',
    (it) =>
      Object.assign(it, {
        ui_extension: { views: [{ viewport: 'stripe.dashboard.fullpage', component: 'Page' }] },
      }),
  ],
  [
    'permissions.0.purpose',
    (it) => Object.assign(it, { permissions: [{ permission: 'event_read', purpose: '' }] }),
  ],
  [
    'constants.backends',
    (it) =>
      Object.assign(it, {
        constants: { backends: { live: 'https://a.example/app/', test: 'https://a.example/app/' } },
      }),
  ],
])('a manifest that Stripe would refuse is found out at "%s"', (path, spoil) => {
  const manifest = z.record(z.string(), z.unknown()).parse(JSON.parse(RENDERED.private));
  spoil(manifest);
  expect(findManifestProblems(JSON.stringify(manifest))).toContainEqual(
    expect.stringMatching(new RegExp(`^${path}: `)),
  );
});

test.each(['http://shop.example', 'ftp://shop.example'])('a backend at %s is refused', (backend) => {
  expect(findManifestProblems(renderPrivateManifest(backend))).not.toEqual([]);
});

test('the icon is a PNG of 300 by 300 pixels', () => {
  const icon = readFileSync(at('manifest/icon.png'));
  expect(icon.subarray(1, 4).toString()).toBe('PNG');
  expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([300, 300]);
});

const views = z.object({ ui_extension: z.object({ views: z.array(z.object({ component: z.string() })) }) });
const placed = z.object({ ui_extension: z.object({ views: z.array(z.object({ viewport: z.string() })) }) });

function listComponents(app: (typeof APPS)[number]): string[] {
  const { ui_extension } = views.parse(JSON.parse(read(`manifest/${app}/stripe-app.json`)));
  return ui_extension.views.map(({ component }) => component);
}

test.each(APPS)('each view of the app %s is a file with a default export, and none is left over', (app) => {
  const files = listComponents(app).map((name) => `${name}.tsx`);
  expect(readdirSync(at(`manifest/${app}/src/views`)).sort()).toEqual([...files].sort());
  for (const name of listComponents(app))
    expect(read(`manifest/${app}/src/views/${name}.tsx`)).toContain(`export default ${name};`);
});

test('the README has a line and a picture of each view, none of 200 kB', () => {
  for (const component of APPS.flatMap(listComponents)) {
    expect(read('manifest/README.md')).toContain(`| \`${component}\` |`);
    expect(read('manifest/README.md')).toContain(`](pictures/${component}.png)`);
    expect(statSync(at(`manifest/pictures/${component}.png`)).size).toBeLessThan(200_000);
  }
});

test('no view uses a component that the pinned SDK lacks', () => {
  const ui = read('node_modules/@stripe/ui-extension-sdk/ui/index.d.ts');
  const sources = APPS.flatMap((app) =>
    readdirSync(at(`manifest/${app}/src`), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tsx'))
      .map((name) => read(`manifest/${app}/src/${name}`)),
  );
  const used = sources
    .flatMap((source) => [...source.matchAll(/import \{([^}]+)\} from '@stripe\/ui-extension-sdk\/ui'/g)])
    .flatMap(([, names = '']) => names.split(',').map((one) => one.trim()))
    .filter((name) => name !== '' && !name.startsWith('type '));
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !ui.includes(`export declare const ${name}:`))).toEqual([]);
});

const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), dependencies: z.record(z.string(), z.string()).optional() }),
  ),
});
const own = z.object({ version: z.string(), dependencies: z.record(z.string(), z.string()) });

/** What a view is made of; the rest of the SDK's packages are for its tests. */
const BUNDLED =
  /^node_modules\/(@stripe\/ui-extension-sdk|@remote-ui\/[a-z]+|react|react-reconciler|scheduler|stripe|@types\/react)$/;

test('manifest/ is locked to the versions that are tested here, and has the version of the package', () => {
  const ours = lock.parse(JSON.parse(read('package-lock.json'))).packages;
  const uploaded = lock.parse(JSON.parse(read('manifest/package-lock.json'))).packages;
  const { version, dependencies } = own.parse(JSON.parse(read('manifest/package.json')));
  expect(version).toBe(JSON.parse(read('package.json')).version);
  expect(uploaded['']).toMatchObject({ version, dependencies });
  const packages = Object.entries(uploaded).filter(([path]) => BUNDLED.test(path));
  expect(packages.length).toBeGreaterThan(8);
  expect(packages.filter(([path, { version }]) => ours[path]?.version !== version)).toEqual([]);
  for (const [name, range] of Object.entries(dependencies))
    expect(uploaded[`node_modules/${name}`]?.version).toBe(range);
});

test.each(['manifest/README.md', 'docs/reference/app-review.md'])(
  '%s names no file that is not there',
  (page) => {
    const named = [
      ...read(page).matchAll(/`((?:manifest|src|test|scripts)\/[\w./-]+\.\w+|biome\.json)`/g),
    ].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((path) => !existsSync(at(path)))).toEqual([]);
  },
);
