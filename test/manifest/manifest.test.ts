/** The Stripe App's manifest: what is asked of a merchant, and what Stripe documents about its fields. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { CALL_PERMISSIONS, listPermissions } from '../../scripts/docs/app-permissions.ts';
import { EXAMPLE, findManifestProblems, renderManifest } from '../../scripts/docs/render-app-manifest.ts';
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

test('the manifest in the repository is the one that the script writes, and has no problem', () => {
  expect(read('manifest/stripe-app.json')).toBe(renderManifest(EXAMPLE));
  expect(read('manifest/stripe-app.public.json')).toBe(
    renderManifest({ ...EXAMPLE, distribution: 'public' }),
  );
  for (const name of ['stripe-app', 'stripe-app.public'])
    expect(findManifestProblems(read(`manifest/${name}.json`))).toEqual([]);
});

test('a private app asks for no permission, and no view calls the API of Stripe', () => {
  expect(JSON.parse(read('manifest/stripe-app.json'))).toMatchObject({ permissions: [] });
  const sources = readdirSync(at('manifest/src'), { recursive: true, encoding: 'utf8' });
  const calling = sources.filter(
    (name) =>
      /\.tsx?$/.test(name) && /createHttpClient|apiFetch|from 'stripe'/.test(read(`manifest/src/${name}`)),
  );
  expect(calling).toEqual([]);
});

test('the variant for one installation names its backends and nothing else', () => {
  const text = renderManifest({
    id: 'com.shop.recovery',
    distribution: 'public',
    backend: 'https://shop.example/payments',
    testBackend: 'http://localhost:8080',
  });
  expect(findManifestProblems(text)).toEqual([]);
  const backends = { live: 'https://shop.example/payments/app/', test: 'http://localhost:8080/app/' };
  expect(JSON.parse(text)).toMatchObject({
    id: 'com.shop.recovery',
    distribution_type: 'public',
    constants: { backends },
    ui_extension: { content_security_policy: { 'connect-src': Object.values(backends) } },
  });
});

test.each<[string, (manifest: Record<string, unknown>) => void]>([
  ['icon', (it) => Object.assign(it, { icon: 'icon.png' })],
  ['name', (it) => Object.assign(it, { name: 'Retry app for Stripe' })],
  ['id', (it) => Object.assign(it, { id: 'com example' })],
  ['post_install_action.type', (it) => Object.assign(it, { post_install_action: { type: 'modal' } })],
  ['', (it) => Object.assign(it, { connect_permissions: [] })],
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
  const text = renderManifest({ ...EXAMPLE, distribution: 'public' });
  const manifest = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  spoil(manifest);
  expect(findManifestProblems(JSON.stringify(manifest))).toContainEqual(
    expect.stringMatching(new RegExp(`^${path}: `)),
  );
});

test.each(['http://shop.example', 'ftp://shop.example'])('a backend at %s is refused', (backend) => {
  expect(findManifestProblems(renderManifest({ ...EXAMPLE, backend }))).not.toEqual([]);
});

test('the icon is a PNG of 300 by 300 pixels', () => {
  const icon = readFileSync(at('manifest/icon.png'));
  expect(icon.subarray(1, 4).toString()).toBe('PNG');
  expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([300, 300]);
});

const views = z.object({ ui_extension: z.object({ views: z.array(z.object({ component: z.string() })) }) });

test('each view of the manifest is a file with a default export', () => {
  const { ui_extension } = views.parse(JSON.parse(read('manifest/stripe-app.json')));
  const components = ui_extension.views.map(({ component }) => component);
  const missing = components.filter((name) => {
    const path = `manifest/src/views/${name}.tsx`;
    return !existsSync(at(path)) || !read(path).includes(`export default ${name};`);
  });
  expect(missing).toEqual([]);
});

test('the README shows a picture of each view, none of 200 kB', () => {
  const { ui_extension } = views.parse(JSON.parse(read('manifest/stripe-app.json')));
  for (const { component } of ui_extension.views) {
    expect(read('manifest/README.md')).toContain(`](pictures/${component}.png)`);
    expect(statSync(at(`manifest/pictures/${component}.png`)).size).toBeLessThan(200_000);
  }
});

/** Since which version of the SDK a viewport has its component (docs.stripe.com/stripe-apps/patterns/full-page-apps). */
const NEEDS_SDK: Readonly<Record<string, readonly [major: number, minor: number, patch: number]>> = {
  'stripe.dashboard.fullpage': [9, 2, 1],
};
const placed = z.object({ ui_extension: z.object({ views: z.array(z.object({ viewport: z.string() })) }) });

test('no view is in a place, and none uses a component, that the pinned SDK lacks', async () => {
  const { dependencies } = own.parse(JSON.parse(read('manifest/package.json')));
  const pinned = String(dependencies['@stripe/ui-extension-sdk']).split('.').map(Number);
  const { ui_extension } = placed.parse(JSON.parse(read('manifest/stripe-app.json')));
  const isOlder = (needed: readonly number[]) => {
    const at = needed.findIndex((part, index) => part !== pinned[index]);
    return at >= 0 && (needed[at] ?? 0) > (pinned[at] ?? 0);
  };
  const needed = ui_extension.views.filter(({ viewport }) => isOlder(NEEDS_SDK[viewport] ?? []));
  expect(needed).toEqual([]);
  const ui = read('node_modules/@stripe/ui-extension-sdk/ui/index.d.ts');
  const sources = readdirSync(at('manifest/src'), { recursive: true, encoding: 'utf8' });
  const used = sources
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) => [
      ...read(`manifest/src/${name}`).matchAll(/import \{([^}]+)\} from '@stripe\/ui-extension-sdk\/ui'/g),
    ])
    .flatMap(([, names = '']) => names.split(',').map((one) => one.trim()))
    .filter((name) => name !== '');
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

test('manifest/README.md names every view, and no file that is not there', () => {
  const readme = read('manifest/README.md');
  const { ui_extension } = views.parse(JSON.parse(read('manifest/stripe-app.json')));
  expect(ui_extension.views.filter(({ component }) => !readme.includes(`| \`${component}\` |`))).toEqual([]);
  const named = [...readme.matchAll(/`((?:src|test|scripts)\/[\w./-]+|biome\.json)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(8);
  const missing = named.filter(
    (path) => !existsSync(at(path.startsWith('src/') ? `manifest/${path}` : path)),
  );
  expect(missing).toEqual([]);
});
