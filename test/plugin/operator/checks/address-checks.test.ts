import { createServer } from 'node:http';
import { systemClock } from '../../../../src/core/base/clock.ts';
import { checkAddress } from '../../../../src/plugin/operator/checks/address-checks.ts';
import { explainFinding } from '../../../../src/plugin/operator/checks/describe-finding.ts';
import { describeLocalAddress } from '../../../../src/plugin/operator/checks/local-address.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import { listenOnLoopback } from '../../../support/http/loopback-server.ts';

test('a warning names what does not work at an address of this machine, and what to set', async () => {
  const server = createServer((_request, response) => void response.end('{}'));
  const publicUrl = await listenOnLoopback(server);
  const keys = {
    retryMode: 'advisory' as const,
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
  };
  const [address] = await checkAddress(loadConfig({ ...keys, publicUrl }), systemClock);
  server.close();
  expect(address).toMatchObject({ code: 'public_address', state: 'warning' });
  expect(address && explainFinding(address)).toMatchObject({
    detail: expect.stringMatching(/webhooks do not arrive, and links in emails/),
    remedy: expect.stringMatching(/^Set PUBLIC_URL to an https address/),
  });
});

test.each([
  ['http://localhost:8080/', 'https://api.stripe.com', true],
  ['http://[::1]:8080/', 'https://api.stripe.com', true],
  ['https://shop.example/', 'https://api.stripe.com', false],
  ['http://localhost:8080/', 'http://127.0.0.1:12111', false],
])('%s with Stripe at %s is told: %s', (publicUrl, apiBase, isTold) => {
  const told = describeLocalAddress({ publicUrl: new URL(publicUrl), stripe: { apiBase: new URL(apiBase) } });
  expect(told?.startsWith(`PUBLIC_URL is ${publicUrl}, `)).toBe(isTold ? true : undefined);
});

test('an HTML page at the address is described without its markup', async () => {
  const page =
    '<!doctype html><html><head><title>Maintenance</title></head><body><p>Soon back</p></body></html>';
  const server = createServer((_request, response) => void response.writeHead(503).end(page));
  const publicUrl = await listenOnLoopback(server);
  const keys = {
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
  } as const;
  const findings = await checkAddress(loadConfig({ ...keys, publicUrl }), systemClock);
  server.close();
  const details = findings.map((one) => explainFinding(one).detail).join('\n');
  expect(details).toContain('answered 503: Maintenance');
  expect(details).not.toMatch(/<\w/);
});
