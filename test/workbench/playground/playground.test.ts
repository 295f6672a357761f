/** The shop to play with, without a browser. */

import { DateTime } from 'luxon';
import {
  describeNeed,
  describeStatus,
  describeSystem,
} from '../../../src/plugin/operator/text/status/describe-status.ts';
import { readWorkStatus } from '../../../src/plugin/store/reports/work-status.ts';
import { carryOut } from '../../../src/workbench/playground/controls.ts';
import { createPlayground, type Playground } from '../../../src/workbench/playground/playground.ts';
import { newMigratedDirectory } from '../../support/database/data-directory.ts';
import { inFull } from '../../support/runner/full-run.ts';

let playground: Playground;
const open = async () => {
  playground = await createPlayground({ dataDir: newMigratedDirectory() });
};
const close = () => playground.stop();

const order = (act: string, customer?: string, value?: string) =>
  carryOut(playground.controls, { act, customer, value });
const told = () => playground.story.map(({ when, who, what }) => `${when} ${who}: ${what}`);
const look = (key: string) => playground.shop.list().find((one) => one.key === key);
const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${playground.url}/controls`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers,
  });

describe('a shop of its own for each test', () => {
  beforeEach(open);
  afterEach(close);

  test('the playground has one clock, as fast as was chosen; it stands in a pause, and after two days all is green', async () => {
    const start = playground.now();
    await playground.clock.pass(5);
    expect(playground.now()).toEqual(start);
    expect(await order('speed', undefined, '1day')).toBe("The clock's speed: 1day.");
    await playground.clock.pass(1.5);
    expect(playground.now()).toEqual(start.plus({ hours: 36 }));
    const { sandbox, plugin } = playground.world;
    const [event] = sandbox.state.events.newestFirst();
    expect(event?.created).toBeLessThanOrEqual(playground.now().toSeconds());
    const [row] = await plugin.parts.database.query<{ at: DateTime<true> }>(
      'select max(at) as at from payment_retry.audit',
    );
    // The email to Ben, on the second day.
    expect(row?.at).toEqual(DateTime.fromISO('2026-03-03T13:00:00Z', { zone: 'utc' }));
    await playground.clock.pass(0.5);
    const status = await readWorkStatus(plugin.parts.database, playground.now());
    expect(describeSystem(status, playground.now())).toEqual({ tone: 'good', words: 'All systems normal' });
    expect(describeNeed(status)).toBe('No action required.');
    expect(describeStatus(status, playground.now())).not.toMatch(/<[a-z!]/i);
    await order('next');
    expect(playground.clock.speed()).toBe('pause');
  });

  inFull(
    'a customer of the playground fails from the next payment on, renews when told, and cancels',
    async () => {
      await order('fail', 'dev', 'expired_card');
      await order('renew', 'dev');
      expect(told()).toEqual([
        'Mon 2 Mar 08:00 Dev Shah: the card is declined from now on: card expired',
        'Mon 2 Mar 08:00 Dev Shah: the subscription renews now',
        'Mon 2 Mar 08:00 Dev Shah: renewal of £22.50 failed: card expired; next: ask for another card now',
        'Mon 2 Mar 08:00 Dev Shah: email sent: please update your card',
      ]);
      expect(look('dev')).toMatchObject({ status: 'past_due', trouble: 'expired' });
      await order('cancel', 'dev');
      expect(look('dev')).toMatchObject({ status: 'canceled', renewsAt: undefined });
      await expect(order('renew', 'dev')).rejects.toThrow('Dev Shah has canceled.');
    },
  );

  inFull(
    'a payment that the customer of the playground must confirm is paid on the invoice page of the email',
    async () => {
      await order('fail', 'chloe', 'authentication_required');
      await order('renew', 'chloe');
      while (playground.emails.length === 0) await order('next');
      const link = /https?:\/\/\S+/.exec(playground.emails[0]?.email.text ?? '')?.[0] ?? '';
      expect((await fetch(link, { method: 'POST' })).status).toBe(200);
      await playground.clock.pass(0);
      expect(look('chloe')).toMatchObject({ status: 'active', open: undefined });
    },
  );

  inFull(
    "an email of the playground is the customer's, in a frame that runs nothing; its page lets the clock stand",
    async () => {
      while (playground.emails.length === 0) await order('next');
      const framed = await fetch(`${playground.url}/emails/1`);
      expect(framed.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'.*; sandbox allow-popups allow-popups-to-escape-sandbox$/,
      );
      const html = playground.emails[0]?.email.html ?? '';
      expect(await framed.text()).toBe(html.replace('<head>', '<head><base target="_blank">'));
      expect((await fetch(`${playground.url}/emails/2`)).status).toBe(404);
      await order('speed', undefined, '1day');
      const link = /href="([^"]+\/card-update\/[^"]+)"/.exec(html)?.[1] ?? '';
      const card = await fetch(link);
      expect(await card.text()).toContain('<form method="post"');
      expect(playground.clock.speed()).toBe('pause');
      expect(told().at(-1)).toContain('the clock is stopped while the customer is on the page');
    },
  );

  inFull('the console of the playground asks for no password, also after weeks', async () => {
    const address = `${playground.url}/payment-retry/console/`;
    const visit = async (path: string, cookie = '') => {
      const answer = await fetch(path, { redirect: 'manual', headers: { cookie } });
      const to = answer.headers.get('location');
      return {
        status: answer.status,
        to: to && new URL(to, path).href,
        cookies: answer.headers.getSetCookie(),
      };
    };
    const first = await visit(`${address}emails`);
    expect(first.to).toBe(`${address}login?to=emails`);
    const signedIn = await visit(first.to ?? '');
    expect(signedIn.to).toBe(`${address}emails`);
    const cookie = signedIn.cookies[0]?.split(';')[0] ?? '';
    expect((await visit(`${address}emails`, cookie)).status).toBe(200);
    await order('speed', undefined, '1day');
    await playground.clock.pass(20);
    const aged = await visit(`${address}emails`, cookie);
    expect((await visit(aged.to ?? '', cookie)).to).toBe(`${address}emails`);
  });
});

describe('a shop where nothing has happened yet', () => {
  beforeAll(open);
  afterAll(close);

  test.each([
    [['speed', undefined, 'warp'], 'There is no speed "warp"; there are pause, 1min, 1h, 6h, 1day.'],
    [['fail', 'zoe'], 'There is no customer "zoe"; there are ada, ben, chloe, dev.'],
    [['fail', 'ada', 'sad'], 'A card cannot be "sad"; it can be insufficient_funds, '],
    [['dance'], 'There is no act "dance"; there are fail, renew, card, cancel, speed, next.'],
  ] as const)('the playground refuses %j and says what there is', async ([act, ...rest], message) => {
    await expect(order(act, ...rest)).rejects.toThrow(message);
    const text = await post({ act, customer: rest[0] ?? '', value: rest[1] ?? '' }, { accept: 'text/plain' });
    expect([text.status, await text.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'REQUEST_INVALID', message: expect.stringContaining(message) }),
    ]);
  });

  test('a shop without a clock of its own takes orders for customers alone', async () => {
    const { time: _time, ...controls } = playground.controls;
    await expect(carryOut(controls, { act: 'next' })).rejects.toThrow('Here time is that of this machine');
    expect(await carryOut(controls, { act: 'card', customer: 'DEV' })).toContain(
      'Dev Shah: gives a new card: visa ending in 4301',
    );
  });

  test('a form of the playground leads back to its page, which allows nothing but its own; other sites are refused', async () => {
    const answer = await post({ act: 'speed', value: '1h' }, { accept: 'text/html' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, './']);
    const page = await fetch(playground.url);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none';style-src 'sha256-[^';]+';script-src 'self';connect-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none';frame-src 'self'$/,
    );
    expect(await page.text()).toContain('aria-pressed="true">1 h/s');
    const before = playground.now();
    const foreign = await post({ act: 'next' }, { origin: 'https://shop.example' });
    expect(foreign.status).toBe(403);
    const rebound = await post({ act: 'next' }, { 'sec-fetch-site': 'cross-site' });
    expect(rebound.status).toBe(403);
    expect(playground.now()).toEqual(before);
  });

  test('from event to event the playground goes through failure, email and retry, and a new card pays at once', async () => {
    expect(await order('next')).toContain('Ada Byrne  renewal of $29.00 failed: insufficient funds');
    expect(look('ada')).toMatchObject({
      status: 'past_due',
      open: '$29.00',
      trouble: 'short of money, twice',
    });
    expect(await order('next')).toContain('Ben Carter  renewal of $29.00 failed: card reported lost');
    expect(await order('next')).toContain('Ben Carter  email sent: please update your card');
    expect(playground.emails).toEqual([
      { when: 'Tue 3 Mar 13:00', email: expect.objectContaining({ to: 'ben.carter@example.com' }) },
    ]);
    await order('card', 'ben');
    expect(told().slice(-2)).toEqual([
      expect.stringMatching(/^Tue 3 Mar 13:00 Ben Carter: gives a new card: visa ending in 430\d$/),
      'Tue 3 Mar 13:00 Ben Carter: retry 1 of $29.00 with the new card: paid',
    ]);
    expect(look('ben')).toMatchObject({
      status: 'active',
      open: undefined,
      card: expect.stringMatching(/^visa ending in 430\d$/),
    });
    while (look('ada')?.open !== undefined) await order('next');
    expect(told().at(-1)).toContain('Ada Byrne: retry 2 of $29.00: paid');
  });
});
