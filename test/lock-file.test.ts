/** What a merchant's machine would run or take that nobody looked at: read from the lock file, without any service. */
import { readFileSync } from 'node:fs';
import Stripe from 'stripe';
import { z } from 'zod';

const entry = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
  devOptional: z.boolean().default(false),
  link: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
});
type Entry = z.infer<typeof entry>;

const packagesOf = (path: string) =>
  Object.entries(
    z
      .object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), entry) })
      .parse(JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))).packages,
  ).filter(([path, { link }]) => path.includes('node_modules/') && !link);
const packages = packagesOf('../package-lock.json');
/** Ours, those that make the site of the documentation, and those that check the Stripe Apps. */
const all = [
  ...packages,
  ...packagesOf('../scripts/site/package-lock.json'),
  ...packagesOf('../scripts/app-tools/package-lock.json'),
];

/** What a rule says against a package, by its path. */
const against = (isRight: (one: Entry) => boolean, of = packages) =>
  of.filter(([, one]) => !isRight(one)).map(([path]) => path);

const shipped = packages.filter(([, { dev, devOptional }]) => !dev && !devOptional);

test('every package of the lock files has a version and a sha512 of its content', () => {
  expect(packages.length).toBeGreaterThan(300);
  expect(all.length).toBeGreaterThan(packages.length + 100);
  expect(against(({ version }) => version !== undefined, all)).toEqual([]);
  expect(against(({ integrity }) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''), all)).toEqual([]);
});

test('every package of the lock files comes from the registry, by no address of its own', () => {
  const isOfRegistry = ({ resolved }: Entry) =>
    resolved === undefined || resolved.startsWith('https://registry.npmjs.org/');
  expect(against(isOfRegistry, all)).toEqual([]);
});

test('no package that a merchant installs runs a script when it is installed', () => {
  expect(shipped.length).toBeGreaterThan(50);
  expect(against(({ hasInstallScript }) => !hasInstallScript, shipped)).toEqual([]);
  // The rule can tell: some that only we install do.
  expect(against(({ hasInstallScript }) => !hasInstallScript).length).toBeGreaterThan(0);
});

test('every package that a merchant installs has a licence that asks for nothing but its own text', () => {
  const LICENCES = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|MIT-0|BlueOak-1\.0\.0|\(MIT OR CC0-1\.0\))$/;
  expect(against(({ license }) => LICENCES.test(license ?? ''), shipped)).toEqual([]);
});

test('the locked library of Stripe is the oldest that its range allows, and the one that the facts are about', () => {
  const page = readFileSync(new URL('../docs/stripe-facts.md', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const locked = packages.filter(([path]) => /(^|\/)node_modules\/stripe$/.test(path));
  const [version = ''] = locked.map(([, one]) => one.version);
  expect(locked.map(([, one]) => one.version)).toEqual([Stripe.PACKAGE_VERSION]);
  // Whoever installs us gets at least what was tested: an update moves range, lock file and facts together.
  expect(dependencies.stripe).toBe(`^${version}`);
  expect(page).toContain(`for \`stripe\` ${version}, which pins API version \`${Stripe.API_VERSION}\``);
  expect(/^\| Since \|.*\n.*\n\| `([^`]+)`/m.exec(page)?.[1]).toBe(Stripe.API_VERSION);
});
