/**
 * Stories on the sandbox's HTTP server by the real SDK. What is played there as on a Stripe test account says nothing of Stripe:
 * no key is at hand.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { DateTime } from 'luxon';
import { playStory } from '../../scripts/stories/play-story.ts';
import { STORIES } from '../../scripts/stories/stories.ts';
import { runStories } from '../../scripts/stories/stories-command.ts';
import { describeDifference, printPlay, readPrint } from '../../scripts/stories/story-print.ts';
import { createSimulatedClock, systemClock } from '../../src/core/base/clock.ts';
import { loadStripeKey } from '../../src/plugin/settings/config.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { inFull } from '../support/runner/full-run.ts';

const sandboxes: Sandbox[] = [];
afterAll(async () => {
  for (const sandbox of sandboxes) await sandbox.stop();
});

async function start(at = '2026-11-02T10:00:00Z', options: Partial<SandboxOptions> = {}) {
  const clock = createSimulatedClock(DateTime.fromISO(at, { zone: 'utc' }));
  const sandbox = await startSandbox({ clock, stripeRetries: 'smart', ...options });
  sandboxes.push(sandbox);
  const key = loadStripeKey({ stripeSecretKey: sandbox.secretKey, stripeApiBase: sandbox.url }, {});
  const wait = async () => {
    await sandbox.run();
  };
  const signal = new AbortController().signal;
  const play = (name: string, changes: Partial<Parameters<typeof playStory>[1]> = {}) => {
    const story = STORIES.find((one) => one.name === name);
    if (story === undefined) throw new Error(`No story ${name}`);
    return playStory(story, { key, clock, wait, signal, place: 'The sandbox', ...changes });
  };
  return { sandbox, play };
}

function expectClean({ state }: Sandbox): void {
  expect([...state.testClocks.newestFirst(), ...state.customers.newestFirst()]).toEqual([]);
  expect([...state.prices.newestFirst()].filter(({ active }) => active)).toEqual([]);
}

/** What Stripe refuses in a story is part of it. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  authentication: ['answer  402 StripeCardError authentication_required authentication_required'],
  refund: ['answer  400 StripeInvalidRequestError charge_already_refunded'],
};

test.each(STORIES.map(({ name }) => name))(
  'the story %s is told as it says, and leaves nothing',
  async (name) => {
    const { sandbox, play } = await start();
    const { steps } = await play(name);
    const lines = steps.flatMap((step) => step.lines);
    expect(lines.filter((line) => line.startsWith('none'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('answer'))).toEqual(REFUSED[name] ?? []);
    expect(lines.filter((line) => /(clock|cus|sub|in|pi|ch|price)_sbx/.test(line))).toEqual([]);
    expectClean(sandbox);
  },
);

test('a print is the same in another month, and after it was saved and read', async () => {
  const { play } = await start();
  const print = printPlay(await play('proration'));
  const { play: playInFebruary } = await start('2027-02-17T23:30:00Z', { seed: 7 });
  const later = await playInFebruary('proration');
  expect(describeDifference(readPrint(print), later)).toBe('');
  expect(print).toContain('\n  state  invoiceitem_1  amount=-1000 proration=true period.start=+15d00h');
  expect(printPlay(readPrint(print))).toBe(print);
});

test('an account that retries otherwise differs in the fields that say so, and nowhere else', async () => {
  const { play } = await start();
  const saved = await play('decline-then-card');
  const { play: playWithout } = await start(undefined, { stripeRetries: 'off' });
  expect(describeDifference(saved, await playWithout('decline-then-card'))).toBe(`3. 30 days, 2 hours later
  - event  invoice.updated  invoice_2  (attempt_count, attempted, next_payment_attempt)
  - state  invoice_2  next_payment_attempt=set
  + event  invoice.updated  invoice_2  (attempt_count, attempted)

5. The invoice is paid with it
  - event  invoice.updated  invoice_2  (amount_paid, amount_remaining, auto_advance, next_payment_attempt, status, status_transitions)
  - state  invoice_2  next_payment_attempt=none
  + event  invoice.updated  invoice_2  (amount_paid, amount_remaining, auto_advance, status, status_transitions)
`);
});

test('a story that a person ends, or that fails in the middle, leaves nothing either', async () => {
  const { sandbox, play } = await start();
  const controller = new AbortController();
  const wait = async () => {
    controller.abort();
    await sandbox.run();
  };
  await expect(play('refund', { wait, signal: controller.signal })).rejects.toThrow(/abort/);
  expectClean(sandbox);
  sandbox.faults.next('POST', /\/advance$/, 'server_error');
  await expect(play('balance')).rejects.toThrow(/unknown error/i);
  expectClean(sandbox);
});

test('a live key is refused before anything is made', async () => {
  const { sandbox, play } = await start();
  const key = loadStripeKey({ stripeSecretKey: 'sk_live_visibly_fake', stripeApiBase: sandbox.url }, {});
  await expect(play('refund', { key })).rejects.toThrow(/sk_live_… is not a test key/);
});

describe('npm run stories', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stories-'));
  const file = join(folder, 'saved.txt');
  afterAll(() => rmSync(folder, { recursive: true }));

  async function run(options: object) {
    let text = '';
    // A stream, as standard output is one.
    const output = new Writable({
      write: (more, _encoding, done) => {
        text += more;
        done();
      },
    });
    const code = await runStories(options, { output, interrupted: new Promise(() => {}) });
    return { code, text };
  }

  test('lists the stories, each in a line', async () => {
    const { code, text } = await run({});
    expect(code).toBe(0);
    expect(text.trim().split('\n')).toHaveLength(STORIES.length);
    expect(text).toMatch(/^refund +a payment is refunded in two parts$/m);
  });

  test('plays on the sandbox without a key, and compares with what was saved', async () => {
    const { code, text } = await run({ story: 'refund', sandbox: true });
    expect(code).toBe(0);
    expect(text).toMatch(/^# The sandbox, API version 2026-10-28\.endive, .*\nStory refund\n/);
    writeFileSync(file, text);
    const same = await run({ story: 'refund', sandbox: true, compare: file });
    expect(same).toEqual({ code: 0, text: expect.stringMatching(/^The same: The sandbox, .*\n$/) });
    writeFileSync(file, text.replace('amount_refunded=500', 'amount_refunded=400'));
    const other = await run({ story: 'refund', sandbox: true, compare: file });
    expect(other.code).toBe(1);
    expect(other.text).toContain(`2. A refund of 500
  - state  charge_1  amount_refunded=400
  + state  charge_1  amount_refunded=500
`);
    await expect(run({ story: 'refund', sandbox: true, compare: join(folder, 'none.txt') })).rejects.toThrow(
      /--compare: .*none\.txt cannot be read \(ENOENT\)/,
    );
  });

  inFull('plays on the account of the key, which here the sandbox takes the place of', async () => {
    const stripe = await startSandbox({ clock: systemClock, stripeRetries: 'smart' });
    const timer = setInterval(() => void stripe.run(), 20);
    process.env.STRIPE_SECRET_KEY = stripe.secretKey;
    process.env.STRIPE_API_BASE = stripe.url;
    try {
      const { text } = await run({ story: 'first-payment-fails' });
      expect(text).toMatch(/^# A Stripe test account, /);
      writeFileSync(file, text);
    } finally {
      clearInterval(timer);
      delete process.env.STRIPE_SECRET_KEY;
      delete process.env.STRIPE_API_BASE;
      await stripe.stop();
    }
    expectClean(stripe);
    expect(await run({ story: 'first-payment-fails', sandbox: true, compare: file })).toMatchObject({
      code: 0,
    });
    await expect(run({ story: 'refund', sandbox: true, compare: file })).rejects.toThrow(
      /is of the story first-payment-fails/,
    );
  });

  test.each([
    [{ story: 'unheard-of' }, /--story unheard-of is not known/],
    [{ sandbox: true }, /go with --story/],
  ])('refuses %j', async (options, message) => {
    await expect(run(options)).rejects.toThrow(message);
  });
});
