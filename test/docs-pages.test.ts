/** Commands in the documentation: each of ours exists with its options; in docs/how-to each is run by a test, or listed here with what it needs. */
import { readdirSync, readFileSync } from 'node:fs';
import { listCommands } from '../src/cli/commands.ts';
import { wordsOf } from '../src/core/base/command-options.ts';
import { failingInvoicesQuery } from '../src/plugin/operator/lists/failing-invoices.ts';
import { commandsOf } from './support/http/page-commands.ts';

const folder = new URL('../docs/how-to/', import.meta.url);
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));

/** Tests that run a block of a page by `blockOf`. */
const RUNNERS = ['./deployment.test.ts', './scenarios/restored-backup.test.ts'].map((path) =>
  readFileSync(new URL(path, import.meta.url), 'utf8'),
);

/** Blocks that no test runs, by page and first line; the comment says what they need. */
const BY_HAND: ReadonlySet<string> = new Set([
  // Needs an assistant's machine.
  'assistants.md: npm install --global stripe-payment-retry @modelcontextprotocol/sdk',
  'assistants.md: claude mcp add payment-retry --env OPERATOR_READ_TOKEN=… -- stripe-payment-retry mcp --url https://billing.example.com/payment-retry',
  // Needs Docker or a cluster.
  'backup.md: docker compose cp backup:/backups .',
  'backup.md: npx stripe-payment-retry db backup /backups/2026-11-22',
  // Needs passwords and an identity provider.
  'console.md: npx stripe-payment-retry hash-password anna',
  'console.md: export OIDC_ISSUER=https://accounts.google.com OIDC_CLIENT_ID=… OIDC_CLIENT_SECRET=…',
  // Needs root, Docker, a cluster or accounts at a provider.
  'deployment.md: useradd --system --home-dir /opt/stripe-payment-retry --create-home payment-retry',
  'deployment.md: unset STRIPE_SECRET_KEY',
  'deployment.md: docker compose build --build-arg SOURCE=registry --build-arg VERSION=0.1.0',
  'deployment.md: docker build --tag registry.example.com/stripe-payment-retry:0.1.0 . && docker push registry.example.com/stripe-payment-retry:0.1.0',
  'deployment.md: helm install payment-retry docs/how-to/files/helm/stripe-payment-retry',
  'deployment.md: fly apps create payment-retry',
  'deployment.md: npx stripe-payment-retry db export /backups/payment-retry.gz',
  // Needs an installation.
  'keys-and-callbacks.md: npx stripe-payment-retry keys create --name "reporting" --organization default --limit 20',
  // Needs the registry.
  'monitoring.md: npm install @opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources',
  // Needs an installation.
  `operations.md: curl -H "Authorization: Bearer $OPERATOR_TOKEN" -H 'Content-Type: application/json' -H 'Idempotency-Key: ticket-4711'`,
  // Needs the registry.
  'other-hosts.md: npm install stripe-payment-retry express',
  // Needs the owner's accounts.
  'releasing.md: npm run release:dry-run',
  'releasing.md: npm audit signatures',
  // Needs a Stripe account.
  'thin-events.md: npx stripe-payment-retry connect --events thin',
  // Needs an installation.
  'uninstall.md: npx stripe-payment-retry list --state open',
  'uninstall.md: npx stripe-payment-retry disconnect',
  'uninstall.md: npm uninstall stripe-payment-retry',
  // Needs an installation.
  'upgrading.md: npx stripe-payment-retry db backup /backups/before-upgrade',
  // Needs the page's own service.
  'your-own-retry-service.md: API_KEY=key CALLBACK_URL=http://localhost:9001 CALLBACK_TOKEN=token node retry-service.mjs &',
]);

const blocks = pages.flatMap((page) =>
  commandsOf(readFileSync(new URL(page, folder), 'utf8')).map(({ lines: [first = ''] }) => ({ page, first })),
);
const isByHand = ({ page, first }: { page: string; first: string }) =>
  BY_HAND.has(`${page}: ${first.replace(/ \\$/, '')}`);

test('each command of the how-to pages is run by a test, or listed as run by hand', () => {
  const unrun = blocks.filter(
    (block) =>
      !isByHand(block) &&
      !RUNNERS.some((runner) => runner.includes(block.page) && runner.includes(block.first)),
  );
  expect(unrun).toEqual([]);
  expect(blocks.filter(isByHand)).toHaveLength(BY_HAND.size);
});

const ALL = await listCommands();

/** By its words alone, with an option or an id. */
const SHORT = new RegExp(
  `\`((?:${ALL.map(({ name }) => wordsOf(name)).join('|')})(?: +(?:--|in_|cus_)[^\`\\n|&>#]+)+)\``,
  'g',
);

const everyPage = [
  '',
  'docs/',
  'docs/tutorials/',
  'docs/how-to/',
  'docs/concepts/',
  'docs/reference/',
].flatMap((under) =>
  readdirSync(new URL(`../${under}`, import.meta.url))
    .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
    .map((name) => `${under}${name}`),
);

test.each(everyPage)('each command of ours in %s exists, with its options', (page) => {
  const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
  const unknown = [
    ...text.matchAll(/(?:npx stripe-payment-retry|dist\/cli\.js) ([a-z-]+(?: +[^ `\n|&>#]+)*)/g),
    ...text.matchAll(SHORT),
  ].filter(([, call = '']) => {
    const words = call.replace(/[.,;:)]+(?= |$)/g, '');
    const found = ALL.filter(({ name }) => `${words} `.startsWith(`${wordsOf(name)} `));
    const known = found.flatMap(({ options = [] }) =>
      options.flatMap(([flags]) => flags.match(/--[a-z-]+/g)),
    );
    return found.length === 0 || (call.match(/--[a-z-]+/g) ?? []).some((flag) => !known.includes(flag));
  });
  expect(unknown.map(([whole]) => whole)).toEqual([]);
  const states = [...text.matchAll(/\blist [^`\n]*--state ([a-z]+)/g)].map(([, state]) => state);
  expect(states.filter((state) => !failingInvoicesQuery.safeParse({ state }).success)).toEqual([]);
});
