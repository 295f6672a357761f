/** The page with what `doctor` says. */
import { z } from 'zod';
import { type ConsoleHarness, startConsole } from './console-harness.ts';

const READ = 'a-reader-token-for-tests-too';
let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await startConsole({
    settings: { operatorReadToken: READ, timeZone: 'Europe/Berlin' },
    findings: [
      { code: 'settings', state: 'ok', detail: 'mode advisory, test mode' },
      { code: 'webhook_endpoint', state: 'problem', detail: '<b>none</b>', fix: 'connect' },
      { code: 'mail_server', state: 'warning', detail: 'none' },
      { code: 'stripe_settings', state: 'look', detail: 'advisory' },
      { code: 'events', state: 'ok', detail: '2026-04-06T18:00:00.000Z' },
    ],
  });
});
afterAll(() => harness?.stop());

test('the page of checks shows what must be fixed first, with how, and what is in order last', async () => {
  const page = await harness.read('/console/checks');
  const text = page.replace(/<style>.*?<\/style>/gs, '').replace(/<[^>]*>/g, ' ');
  const places = [
    '1 to fix.',
    'To fix',
    'creates or repairs it',
    'Warnings',
    'advisory mode leave',
    'Passed',
    'Settings',
  ];
  expect(places.map((words) => text.replace(/\s+/g, ' ').indexOf(words))).not.toContain(-1);
  const order = places.map((words) => text.replace(/\s+/g, ' ').lastIndexOf(words));
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(page).toContain('&lt;b>none');
  expect(page).toMatch(/<a href="[^"]*checks" aria-current="page">/);
});

test('times of the checks are the account’s, with UTC behind them', async () => {
  expect(await harness.read('/console/checks')).toContain(
    '<time datetime="2026-04-06T18:00:00.000Z" title="2026-04-06 18:00:00 UTC">6 Apr 2026, 20:00</time>',
  );
});

test('nobody sees the page of checks who is not signed in', async () => {
  expect((await harness.visit('/console/checks')).status).toBe(303);
});

test('the API answers the same, in words and with what to do', async () => {
  const answer = await harness.visit('/api/v1/checks', { authorization: `Bearer ${READ}` });
  const { findings } = z.object({ findings: z.array(z.unknown()) }).parse(await answer.json());
  expect(findings).toHaveLength(5);
  expect(findings.slice(0, 2)).toEqual([
    ...[
      { code: 'settings', state: 'ok', title: 'Settings', detail: 'mode advisory, test mode', remedy: null },
    ],
    {
      code: 'webhook_endpoint',
      state: 'problem',
      title: 'Webhook endpoint at Stripe',
      detail: '<b>none</b>',
      remedy: expect.stringMatching(/^`connect` creates or repairs it/),
    },
  ]);
});
