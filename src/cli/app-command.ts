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

/** Views and their lock file, in the repository and in the package alike. */
const SHIPPED = fileURLToPath(new URL('../../manifest/', import.meta.url));
const PARTS = ['src', 'icon.png', 'package.json', 'package-lock.json', 'tsconfig.json', 'README.md'];
const MANIFEST = 'stripe-app.json';
const APP_FOLDER = 'stripe-app';
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
  public: z.boolean().default(false),
  folder: z.string().default(APP_FOLDER),
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
  constants: z.object({ backends: z.object({ live: z.string(), test: z.string() }) }),
  ui_extension: z.looseObject({ content_security_policy: z.looseObject({}) }),
});
type Manifest = z.output<typeof manifest>;

/** Writes the app's folder and uploads it, or takes its signing secret. Each can be repeated. */
export async function runApp(
  given: unknown,
  write: Write = writeToTerminal,
  readSecret: () => Promise<string> = () => askForPassword('Signing secret (absec_…): '),
): Promise<number> {
  const options = readOptions(appOptions, given);
  if (options.secret) return connectApp(options, (await readSecret()).trim(), write);
  const { version } = writeFolder(options, write);
  return options.upload ? upload(options, version, write) : 0;
}

/** Differences between the folder and the settings, for `doctor`: empty where it fits, undefined where there is none. */
export function describeAppFolder({
  publicUrl,
  stripeAppSecrets,
}: Pick<Config, 'publicUrl' | 'stripeAppSecrets'>): string | undefined {
  const path = join(APP_FOLDER, MANIFEST);
  if (!existsSync(path)) return undefined;
  const found = readManifest(path);
  if (found === undefined) return `${path} is no manifest; take it away and run \`app\` again`;
  const { version, constants } = found;
  const asked = Object.values(constants.backends);
  const isAsked = asked.includes(appPath(publicUrl.href));
  const shipped = readShipped(MANIFEST).version;
  return [
    ...(stripeAppSecrets === undefined ? ['STRIPE_APP_SECRET is not set'] : []),
    ...(isAsked ? [] : [`it asks ${asked[0]}, and PUBLIC_URL is ${publicUrl.href}`]),
    ...(version.replace(SUFFIX, '') === shipped
      ? []
      : [`it is of version ${version}, the server of ${shipped}`]),
  ].join('; ');
}

function writeFolder(options: AppOptions, write: Write): Manifest {
  const { folder } = options;
  const path = join(folder, MANIFEST);
  const isThere = existsSync(path);
  const before = isThere ? readManifest(path) : undefined;
  if (isThere && before === undefined)
    throw new UsageError([`${path} is no manifest: take it away, and give --id and --name again`]);
  const made = fillIn(options, before);
  const local = Object.values(made.constants.backends).find((address) => address.startsWith('http:'));
  if (options.upload && local !== undefined)
    throw new UsageError([
      `--backend is needed: from Stripe's Dashboard nobody reaches ${local}; give the server's https address, or --no-upload for a preview on this machine`,
    ]);
  mkdirSync(folder, { recursive: true });
  for (const part of PARTS) cpSync(join(SHIPPED, part), join(folder, part), { recursive: true, force: true });
  writeWhole(path, `${JSON.stringify(made, null, 2)}\n`);
  write(
    `${path} ${before ? 'was brought up to date' : 'was written'}: ${made.id}, version ${made.version}, asks ${made.constants.backends.live}.\n`,
  );
  return made;
}

/** Undefined of what a person has changed into something else. */
function readManifest(path: string): Manifest | undefined {
  try {
    return manifest.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** One of the package. */
function readShipped(name: string): Manifest {
  return manifest.parse(JSON.parse(readFileSync(join(SHIPPED, name), 'utf8')));
}

/** Completes absent options from the earlier manifest. */
function fillIn(options: AppOptions, before: Manifest | undefined): Manifest {
  const id = options.id ?? before?.id;
  if (id === undefined)
    throw new UsageError([
      '--id is missing: a name that no other app of Stripe has, as com.yourshop.payment-retry',
    ]);
  const isPublic = options.public || before?.distribution_type === 'public';
  const shipped = readShipped(isPublic ? 'stripe-app.public.json' : MANIFEST);
  const backends = chooseBackends(options, before);
  const made = {
    ...shipped,
    id,
    name: options.name ?? before?.name ?? shipped.name,
    constants: { backends },
    ui_extension: {
      ...shipped.ui_extension,
      content_security_policy: {
        ...shipped.ui_extension.content_security_policy,
        'connect-src': [...new Set([backends.live, backends.test])],
      },
    },
  };
  return { ...made, version: nextVersion(made, before) };
}

function chooseBackends({ backend, testBackend }: AppOptions, before: Manifest | undefined) {
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

function upload({ folder }: AppOptions, version: string, write: Write): number {
  const steps = [
    ['npm', 'ci'],
    ['stripe', 'apps', 'upload'],
  ];
  const next =
    "Then release it, install it, and give its signing secret (on the app's page in the Dashboard) with: npx stripe-payment-retry app --secret\n";
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
