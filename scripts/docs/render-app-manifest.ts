/** The manifests of both apps, and what Stripe documents about their fields (stripe-facts 7.1, 7.2). */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { listPermissions } from './app-permissions.ts';

/** The address in the repository: nobody's. */
export const EXAMPLE_BACKEND = 'https://billing.example.com';

const VIEWS = [
  { viewport: 'stripe.dashboard.invoice.detail.page-module', component: 'InvoiceModule' },
  { viewport: 'stripe.dashboard.customer.detail.page-module', component: 'CustomerModule' },
  { viewport: 'stripe.dashboard.drawer.default', component: 'WorkDrawer' },
  { viewport: 'settings', component: 'AppSettings' },
  { viewport: 'onboarding', component: 'Onboarding' },
] as const;

/** The app with views. They call no API of Stripe, so it asks for no permission: the server has a key of its own. */
export function renderPrivateManifest(backend = EXAMPLE_BACKEND): string {
  const address = new URL('app/', `${backend}/`).href;
  return renderManifest('com.example.payment-retry', {
    name: 'Payment Retry',
    stripe_api_access_type: 'platform',
    permissions: [],
    ui_extension: {
      views: VIEWS,
      content_security_policy: {
        'connect-src': [address],
        'image-src': [],
        purpose: 'The views show what your Payment Retry server knows, and give it your instructions.',
      },
    },
    post_install_action: { type: 'onboarding' },
    constants: { backends: { live: address, test: address } },
  });
}

/** The app that hands out the server's key. Of such an app only the settings work (stripe-facts 7.4). */
export function renderKeyManifest(): string {
  return renderManifest('com.example.payment-retry-key', {
    name: 'Payment Retry key',
    stripe_api_access_type: 'restricted_api_key',
    permissions: listPermissions(),
    ui_extension: { views: [{ viewport: 'settings', component: 'KeySettings' }] },
    post_install_action: { type: 'settings' },
  });
}

function renderManifest(id: string, { name, ...fields }: { name: string; [field: string]: unknown }): string {
  const manifest = {
    id,
    version: packageVersion(),
    name,
    icon: './icon.png',
    distribution_type: 'private',
    // A sandbox is an account of its own, which neither app has a key or a signing secret for.
    sandbox_install_compatible: false,
    ...fields,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

/** Those of Stripe's schema; a full page is not among them. */
const VIEWPORT =
  /^(settings|onboarding|stripe\.dashboard\.(home\.overview|drawer\.default|(customer|invoice)\.detail(\.page-module)?|(payment|subscription)\.detail|(customer|invoice|payment|subscription)\.list))$/;
const backendAddress = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1';
  return (
    (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) && url.pathname.endsWith('/app/')
  );
}, 'must be an https address whose path ends in /app/ (plain http for this machine only)');

const documented = z.strictObject({
  id: z.string().regex(/^[a-zA-Z0-9_\-.]+$/),
  version: z.string().min(1),
  name: z
    .string()
    .min(1)
    .refine(
      (name) => !/\b(stripe|app|free|paid)\b/i.test(name),
      'must not have "Stripe", "app", "free" or "paid"',
    ),
  icon: z.string().regex(/^\.\/.+\.png$/),
  distribution_type: z.enum(['private', 'public']),
  stripe_api_access_type: z.enum(['platform', 'oauth', 'restricted_api_key']),
  sandbox_install_compatible: z.boolean(),
  permissions: z.array(
    z.strictObject({ permission: z.string().regex(/^[a-z_]+_(read|write)$/), purpose: z.string().min(1) }),
  ),
  ui_extension: z.strictObject({
    views: z.array(
      z.strictObject({
        viewport: z.string().regex(VIEWPORT, 'is unknown'),
        component: z.string().regex(/^[a-zA-Z0-9_]+$/),
      }),
    ),
    content_security_policy: z
      .strictObject({
        'connect-src': z.array(backendAddress).min(1),
        'image-src': z.array(z.string()),
        purpose: z.string().min(1),
      })
      .optional(),
  }),
  post_install_action: z.discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['settings', 'onboarding']) }),
    z.strictObject({ type: z.literal('external'), url: z.httpUrl() }),
  ]),
  constants: z
    .strictObject({ backends: z.strictObject({ live: backendAddress, test: backendAddress }) })
    .optional(),
});

/** What is wrong with it, as Stripe documents its fields; `stripe apps upload` has the last word. */
export function findManifestProblems(text: string): string[] {
  const parsed = documented.safeParse(JSON.parse(text));
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const { constants, ui_extension } = parsed.data;
  const allowed = ui_extension.content_security_policy?.['connect-src'] ?? [];
  return Object.values(constants?.backends ?? {})
    .filter((backend) => !allowed.includes(backend))
    .map((backend) => `constants.backends: ${backend} is not in connect-src, so no view could reach it`);
}
