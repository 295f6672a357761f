/** `manifest/stripe-app.json`, and what Stripe documents about its fields (stripe-facts 7.1, 7.2). */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { listPermissions } from './app-permissions.ts';

export interface ManifestChoice {
  /** The plugin's PUBLIC_URL with a live key. */
  readonly backend: string;
  /** The one with a test key; without it both modes ask the same backend, which serves the mode of its key. */
  readonly testBackend?: string | undefined;
  readonly distribution: 'private' | 'public';
  /** Unique among all apps of Stripe. */
  readonly id: string;
}

/** What is in the repository: an address that is nobody's. */
export const EXAMPLE: ManifestChoice = {
  backend: 'https://billing.example.com',
  distribution: 'private',
  id: 'com.example.payment-retry',
};

const VIEWS = [
  { viewport: 'stripe.dashboard.home.overview', component: 'RecoveryOverview' },
  // Where no other view is: what the app's icon opens.
  { viewport: 'stripe.dashboard.drawer.default', component: 'RecoveryOverview' },
  { viewport: 'stripe.dashboard.payment.list', component: 'RecoveryOverview' },
  { viewport: 'stripe.dashboard.invoice.list', component: 'RecoveryOverview' },
  { viewport: 'stripe.dashboard.customer.list', component: 'RecoveryOverview' },
  { viewport: 'stripe.dashboard.subscription.list', component: 'RecoveryOverview' },
  { viewport: 'stripe.dashboard.fullpage', component: 'RecoveryPage' },
  { viewport: 'stripe.dashboard.payment.detail', component: 'PaymentRecovery' },
  { viewport: 'stripe.dashboard.invoice.detail', component: 'InvoiceRecovery' },
  { viewport: 'stripe.dashboard.subscription.detail', component: 'SubscriptionRecovery' },
  { viewport: 'stripe.dashboard.customer.detail', component: 'CustomerRecovery' },
  { viewport: 'settings', component: 'AppSettings' },
  { viewport: 'onboarding', component: 'Onboarding' },
] as const;

export function renderManifest(choice: ManifestChoice): string {
  const live = appPath(choice.backend);
  const test = appPath(choice.testBackend ?? choice.backend);
  const manifest = {
    id: choice.id,
    version: packageVersion(),
    name: 'Payment Retry',
    icon: './icon.png',
    distribution_type: choice.distribution,
    stripe_api_access_type: 'platform',
    sandbox_install_compatible: true,
    // A private app's views call no API of Stripe; the server has a key of its own.
    permissions: choice.distribution === 'public' ? listPermissions() : [],
    ui_extension: {
      views: VIEWS,
      content_security_policy: {
        'connect-src': [...new Set([live, test])],
        'image-src': [],
        purpose: 'The views show what your Payment Retry server knows, and give it your instructions.',
      },
    },
    post_install_action: { type: 'onboarding' },
    constants: { backends: { live, test } },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function appPath(backend: string): string {
  return new URL('app/', backend.endsWith('/') ? backend : `${backend}/`).href;
}

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

const DETAIL_VIEWPORTS =
  /^stripe\.dashboard\.(home\.overview|drawer\.default|fullpage|(customer|invoice|payment|subscription)\.(detail|list))$/;
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
        viewport: z
          .string()
          .refine(
            (name) => ['settings', 'onboarding'].includes(name) || DETAIL_VIEWPORTS.test(name),
            'is unknown',
          ),
        component: z.string().regex(/^[a-zA-Z0-9_]+$/),
      }),
    ),
    content_security_policy: z.strictObject({
      'connect-src': z.array(backendAddress).min(1),
      'image-src': z.array(z.string()),
      purpose: z.string().min(1),
    }),
  }),
  post_install_action: z.discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['settings', 'onboarding']) }),
    z.strictObject({ type: z.literal('external'), url: z.httpUrl() }),
  ]),
  constants: z.strictObject({ backends: z.strictObject({ live: backendAddress, test: backendAddress }) }),
});

/** What is wrong with it, as Stripe documents its fields; `stripe apps upload` has the last word. */
export function findManifestProblems(text: string): string[] {
  const parsed = documented.safeParse(JSON.parse(text));
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const { constants, ui_extension } = parsed.data;
  const allowed = ui_extension.content_security_policy['connect-src'];
  return Object.values(constants.backends)
    .filter((backend) => !allowed.includes(backend))
    .map((backend) => `constants.backends: ${backend} is not in connect-src, so no view could reach it`);
}
