import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { systemClock } from '../core/base/clock.ts';
import { readOptions } from '../core/base/command-options.ts';
import { UsageError } from '../core/base/errors.ts';
import { isLoopback } from '../core/base/loopback.ts';
import { checkApp } from '../plugin/operator/checks/address-checks.ts';
import { describeFinding } from '../plugin/operator/checks/describe-finding.ts';
import { type Write, writeToTerminal } from '../plugin/operator/text/command-result.ts';
import { type Config, loadWebhookPlace } from '../plugin/settings/config.ts';
import { publicAddress } from '../plugin/settings/own-paths.ts';
import { FILE_SUFFIX } from '../plugin/settings/schema/setting-files.ts';
import { APP_SECRET } from '../plugin/settings/schema/setting-forms.ts';
import { askForPassword } from './hash-password-command.ts';
import { readEnvFile, writeEnvFile, writeWhole } from './setup/env-file.ts';

/** Both apps with the files that they share, in the repository and in the package alike. */
const SHIPPED = fileURLToPath(new URL('../../manifest/', import.meta.url));
const SHARED = ['icon.png', 'package.json', 'package-lock.json', 'tsconfig.json'];
const MANIFEST = 'stripe-app.json';

interface App {
  /** The folder of the package that holds it. */
  readonly shipped: string;
  /** The folder that it is written to, unless another one is given. */
  readonly folder: string;
  readonly next: string;
}

const VIEWS_APP: App = {
  shipped: 'private',
  folder: 'stripe-app',
  next: "Then release it, install it, and give its signing secret (on the app's page in the Dashboard) with: npx stripe-payment-retry app --secret\n",
};
const KEY_APP: App = {
  shipped: 'restricted-key',
  folder: 'stripe-key-app',
  next: 'Then release it, install it, copy the key that its settings show (View API keys), and paste it into: npx stripe-payment-retry init\n',
};
/** Suffix of an upload after a change within one release. */
const SUFFIX = /-(\d+)$/;

const appOptions = z.object({
  id: z
    .string()
    .regex(/^[\w\-.]+$/, 'has letters, digits, dots and hyphens, as com.yourshop.payment-retry')
    .optional(),
  name: z
    .string()
    .regex(
      /^(?!.*\b(?:stripe|app|free|paid)\b).{1,35}$/i,
      'has 35 characters at most, without "Stripe", "app", "free" and "paid"',
    )
    .optional(),
  backend: z.string().refine(isReachable, 'is an https address (http for this machine alone)').optional(),
  testBackend: z.string().refine(isReachable, 'is an https address (http for this machine alone)').optional(),
  restrictedKey: z.boolean().default(false),
  public: z.boolean().default(false),
  folder: z.string().optional(),
  file: z.string().default('.env'),
  upload: z.boolean().default(true),
  secret: z.boolean().default(false),
});
type AppOptions = z.output<typeof appOptions>;

function isReachable(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** Other fields are Stripe's. */
const manifest = z.looseObject({
  id: z.string(),
  version: z.string(),
  distribution_type: z.string(),
  name: z.string(),
  stripe_api_access_type: z.string(),
});
type Manifest = z.output<typeof manifest>;

/** The app with views, which ask a server. */
const viewsManifest = manifest.extend({
  constants: z.object({ backends: z.object({ live: z.string(), test: z.string() }) }),
  ui_extension: z.looseObject({ content_security_policy: z.looseObject({}) }),
});
type ViewsManifest = z.output<typeof viewsManifest>;

/** Writes the app's folder and uploads it, or takes its signing secret. Each can be repeated. */
export async function runApp(
  given: unknown,
  write: Write = writeToTerminal,
  readSecret: () => Promise<string> = () => askForPassword('Signing secret (absec_…): '),
): Promise<number> {
  const options = readOptions(appOptions, given);
  if (options.secret) return connectApp(options, (await readSecret()).trim(), write);
  if (options.public && !options.restrictedKey)
    throw new UsageError(['--public goes with --restricted-key: the app with views is for your own account']);
  const { next, ...app } = options.restrictedKey ? KEY_APP : VIEWS_APP;
  const folder = options.folder ?? app.folder;
  const version = options.restrictedKey
    ? writeKeyApp(options, folder, write)
    : writeViewsApp(options, folder, write);
  return options.upload ? upload(folder, { version, next }, write) : 0;
}

/** Differences between the folder and the settings, for `doctor`: empty where it fits, undefined where there is none. */
export function describeAppFolder({
  publicUrl,
  stripeAppSecrets,
}: Pick<Config, 'publicUrl' | 'stripeAppSecrets'>): string | undefined {
  const path = join(VIEWS_APP.folder, MANIFEST);
  if (!existsSync(path)) return undefined;
  const found = readManifest(viewsManifest, path);
  if (found === undefined) return `${path} is no manifest; take it away and run \`app\` again`;
  const { version, constants } = found;
  const asked = Object.values(constants.backends);
  const isAsked = asked.includes(appPath(publicUrl.href));
  const shipped = readShipped(viewsManifest, VIEWS_APP).version;
  return [
    ...(stripeAppSecrets === undefined ? ['STRIPE_APP_SECRET is not set'] : []),
    ...(isAsked ? [] : [`it asks ${asked[0]}, and PUBLIC_URL is ${publicUrl.href}`]),
    ...(version.replace(SUFFIX, '') === shipped
      ? []
      : [`it is of version ${version}, the server of ${shipped}`]),
  ].join('; ');
}

function writeKeyApp(options: AppOptions, folder: string, write: Write): string {
  const before = readBefore(manifest, folder);
  const shipped = readShipped(manifest, KEY_APP);
  const isPublic = options.public || before?.distribution_type === 'public';
  const made = { ...shipped, ...chooseName(options, before, shipped) };
  return writeApp(KEY_APP, folder, {
    made: { ...made, distribution_type: isPublic ? 'public' : 'private' },
    before,
    write,
  });
}

function writeViewsApp(options: AppOptions, folder: string, write: Write): string {
  const before = readBefore(viewsManifest, folder);
  const shipped = readShipped(viewsManifest, VIEWS_APP);
  const named = chooseName(options, before, shipped);
  const backends = chooseBackends(options, before);
  const local = Object.values(backends).find((address) => address.startsWith('http:'));
  if (options.upload && local !== undefined)
    throw new UsageError([
      `--backend is needed: from Stripe's Dashboard nobody reaches ${local}; give the server's https address, or --no-upload for a preview on this machine`,
    ]);
  const policy = shipped.ui_extension.content_security_policy;
  const made = {
    ...shipped,
    ...named,
    constants: { backends },
    ui_extension: {
      ...shipped.ui_extension,
      content_security_policy: { ...policy, 'connect-src': [...new Set([backends.live, backends.test])] },
    },
  };
  return writeApp(VIEWS_APP, folder, { made, before, write });
}

interface Written {
  readonly made: Manifest;
  readonly before: Manifest | undefined;
  readonly write: Write;
}

/** Returns the version of the app. */
function writeApp({ shipped }: App, folder: string, { made, before, write }: Written): string {
  const version = nextVersion(made, before);
  mkdirSync(folder, { recursive: true });
  const parts = [...SHARED.map((name) => [name, name]), [join(shipped, 'src'), 'src']] as const;
  for (const [from = '', to = ''] of parts)
    cpSync(join(SHIPPED, from), join(folder, to), { recursive: true, force: true });
  const path = join(folder, MANIFEST);
  writeWhole(path, `${JSON.stringify({ ...made, version }, null, 2)}\n`);
  write(`${path} ${before ? 'was brought up to date' : 'was written'}: ${made.id}, version ${version}.\n`);
  return version;
}

/** Undefined where a person has changed it into something else. */
function readManifest<Schema extends z.ZodType>(schema: Schema, path: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Undefined where the folder has none yet. Throws UsageError where it is not this app's. */
function readBefore<Schema extends typeof manifest>(
  schema: Schema,
  folder: string,
): z.output<Schema> | undefined {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return undefined;
  const before = readManifest(schema, path);
  if (before !== undefined) return before;
  throw new UsageError([`${path} is no manifest: take it away, and give --id and --name again`]);
}

/** Reads a manifest of the package. */
function readShipped<Schema extends z.ZodType>(schema: Schema, { shipped }: App): z.output<Schema> {
  return schema.parse(JSON.parse(readFileSync(join(SHIPPED, shipped, MANIFEST), 'utf8')));
}

/** Keeps the earlier name when none is given. */
function chooseName(options: AppOptions, before: Manifest | undefined, shipped: Manifest) {
  const id = options.id ?? before?.id;
  if (id === undefined)
    throw new UsageError([
      '--id is missing: a name that no other app of Stripe has, as com.yourshop.payment-retry',
    ]);
  return { id, name: options.name ?? before?.name ?? shipped.name };
}

function chooseBackends({ backend, testBackend }: AppOptions, before: ViewsManifest | undefined) {
  if (backend === undefined && before !== undefined) {
    const { live, test } = before.constants.backends;
    return { live, test: testBackend === undefined ? test : appPath(testBackend) };
  }
  const live = backend ?? loadWebhookPlace({}, process.env).publicUrl.href;
  if (!isReachable(live)) throw new UsageError([`--backend is missing: ${live} (PUBLIC_URL) is not https`]);
  return { live: appPath(live), test: appPath(testBackend ?? live) };
}

const appPath = (address: string) => publicAddress(new URL(address), 'app/').href;

/** Stripe takes each version once: that of the package, and after a change of the same one with a number. */
function nextVersion(made: Manifest, before: Manifest | undefined): string {
  const isSameRelease = before?.version.replace(SUFFIX, '') === made.version;
  if (before === undefined || !isSameRelease) return made.version;
  if (JSON.stringify({ ...made, version: '' }) === JSON.stringify({ ...before, version: '' }))
    return before.version;
  return `${made.version}-${Number(SUFFIX.exec(before.version)?.[1] ?? 0) + 1}`;
}

function upload(folder: string, { version, next }: { version: string; next: string }, write: Write): number {
  const steps = [
    ['npm', 'ci'],
    ['stripe', 'apps', 'upload'],
  ];
  if (!isInstalled('stripe')) {
    const commands = steps.map((words) => words.join(' ')).join(' && ');
    write(
      `The Stripe CLI is not installed (https://docs.stripe.com/stripe-cli; then \`stripe plugin install apps\`). Upload the app with:\n  cd ${folder}\n  ${commands}\n${next}`,
    );
    return 0;
  }
  for (const step of steps) {
    if (run(step, folder)) continue;
    write(
      `\`${step.join(' ')}\` failed in ${folder}; mend what it names and run \`app\` again.${step.includes('upload') ? ' It needs `stripe plugin install apps`, `stripe login`, and a version that was not uploaded before.' : ''}\n`,
    );
    return 1;
  }
  write(`Version ${version} is uploaded. ${next}`);
  return 0;
}

const isInstalled = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

/** Runs a program; on Windows npm is a script, which only a shell runs. None of the words come from a person. */
function run([program = '', ...words]: readonly string[], cwd: string): boolean {
  const shell = process.platform === 'win32';
  return spawnSync(program, words, { cwd, stdio: 'inherit', shell }).status === 0;
}

/** A new secret is stored before the old one, which Stripe still signs with for a day. */
async function connectApp({ file }: AppOptions, secret: string, write: Write): Promise<number> {
  if (!APP_SECRET.form.test(secret)) throw new UsageError(['the signing secret begins with absec_']);
  const { publicUrl } = loadWebhookPlace({}, process.env);
  storeSecret(file, secret, write);
  const found = await checkApp({ publicUrl, stripeAppSecrets: [secret] }, systemClock);
  write(`${describeFinding(found)}\n`);
  if (found.state === 'ok') return 0;
  write('Start the plugin again with this secret, then prove it with `app --secret` or `doctor`.\n');
  return 1;
}

function storeSecret(file: string, secret: string, write: Write): void {
  const values = readEnvFile(file);
  const own = values[`STRIPE_APP_SECRET${FILE_SUFFIX}`];
  const isThere = own !== undefined && existsSync(own);
  const [newest] = (isThere ? readFileSync(own, 'utf8').trim() : (values.STRIPE_APP_SECRET ?? '')).split(',');
  if (newest === secret) return;
  const stored = newest ? `${secret},${newest}` : secret;
  if (own === undefined) writeEnvFile(file, { STRIPE_APP_SECRET: stored });
  else writeWhole(own, `${stored}\n`);
  write(`STRIPE_APP_SECRET stored in ${own ?? file}.\n`);
}
