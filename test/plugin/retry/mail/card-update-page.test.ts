import express from 'express';
import { DateTime } from 'luxon';
import { pino } from 'pino';
import request from 'supertest';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { createLinkToken } from '../../../../src/plugin/retry/mail/card-update-link.ts';
import {
  type CardUpdateDeps,
  createCardUpdateRouter,
} from '../../../../src/plugin/retry/mail/card-update-page.ts';

const SECRET = 'a-secret-of-more-than-thirty-two-characters';
const PORTAL = 'https://billing.stripe.com/p/session/test_secretpath';
const start = DateTime.fromISO('2026-06-01T12:00:00Z', { zone: 'utc' });
const claims = {
  account: 'acct_1',
  customerId: 'cus_1',
  invoiceId: 'in_1',
  expiresAt: start.plus({ days: 14 }),
};
const token = createLinkToken(claims, SECRET);
const link = `/card-update/${token}`;

function createPage(overrides: Partial<CardUpdateDeps> = {}) {
  const calls: unknown[] = [];
  const logged: string[] = [];
  const clock = createSimulatedClock(start);
  const router = createCardUpdateRouter({
    linkSecret: SECRET,
    clock,
    logger: pino({ base: null }, { write: (line) => void logged.push(line) }),
    isOver: async () => false,
    findInvoice: async (...args) => {
      calls.push(args);
      return { owed: [{ id: 'in_1', amount: 1999, currency: 'eur', plan: undefined, issuedAt: start }] };
    },
    createPortalSession: async (input) => {
      calls.push(input);
      return { url: PORTAL };
    },
    publicUrl: new URL('https://shop.example/billing/'),
    merchantName: async () => 'Acme',
    brandColor: async () => '#0a7a5c',
    noteLinkUse: async () => {},
    emailLook: { language: 'en' },
    timeZone: 'UTC',
    ...overrides,
  });
  return { app: express().use(router), calls, logged, clock };
}

describe('reading the page', () => {
  test('reading the card-update page shows one button and has no effect, however often', async () => {
    const { app, calls } = createPage();
    for (let visit = 0; visit < 3; visit++) {
      const { status, text } = await request(app).get(link);
      expect(status).toBe(200);
      expect(text.match(/<button/g)).toHaveLength(1);
      expect(text).toContain('A payment to <bdi>Acme</bdi> did not go through');
    }
    await request(app).head(link).expect(200);
    expect(calls.filter((call) => !Array.isArray(call))).toEqual([]);
  });

  test('the card-update page is a complete document without scripts', async () => {
    const { text } = await request(createPage().app).get(link);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/);
    expect(text).toMatch(/<title>Update your card<\/title>/);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text.match(/<main>/g)).toHaveLength(1);
    expect(text).toContain('name="viewport"');
    expect(text).toContain('prefers-color-scheme: dark');
    expect(text).toContain(':focus-visible');
    expect(text).not.toMatch(/<script|\son\w+=|style="/);
  });

  test('the card-update page escapes the merchant name', async () => {
    const { app } = createPage({ merchantName: async () => '<script>alert(1)</script> & \u202eSons' });
    const { text } = await request(app).get(link);
    expect(text).toContain('<bdi>&lt;script>alert(1)&lt;/script> &amp; Sons</bdi>');
  });

  test('the card-update page works when the merchant name cannot be found', async () => {
    const { app, logged } = createPage({ merchantName: () => Promise.reject(new Error('no row')) });
    const { status, text } = await request(app).get(link);
    expect(status).toBe(200);
    expect(text).toContain('A payment to the merchant did not go through');
    expect(logged.join()).toContain('no row');
  });

  test('the card-update page thanks who comes back, also after the link has ended', async () => {
    const { app, clock, calls } = createPage();
    const thanks = await request(app).get(`${link}?done=1`);
    expect(thanks.status).toBe(200);
    expect(thanks.text).toContain('<h1>Thank you</h1>');
    expect(thanks.text).not.toContain('<button');
    await clock.set(claims.expiresAt);
    await request(app).get(`${link}?done=1`).expect(200);
    await request(app).get('/card-update/v1.a.b?done=1').expect(404);
    expect(calls).toEqual([]);
  });
});

describe('the words', () => {
  const preferring = (locale: string | undefined, zone?: string) =>
    `/card-update/${createLinkToken({ ...claims, reader: { locale, zone } }, SECRET)}`;
  const plain = (text: string) => text.replace(/[\u202f\u00a0]/g, ' ');

  test.each<[string, string | undefined, string | undefined, string, string]>([
    ['what Stripe knows', 'de', 'fr', 'ja', 'de'],
    ['the browser', undefined, 'cs;q=0.9, fr-CA;q=0.8, nl;q=0.7', 'ja', 'fr-CA'],
    ['the merchant, if the browser says nothing', undefined, undefined, 'ja', 'ja'],
    ['the merchant, if the browser knows no such language', undefined, 'cs, *', 'pt-BR', 'pt-BR'],
    ['the merchant, if the browser talks nonsense', undefined, ';;q=x,,\u00ff', 'it', 'it'],
  ])(
    'the language of the card-update page follows %s',
    async (_case, locale, browser, language, expected) => {
      const { app } = createPage({ emailLook: { language } });
      const headers = browser === undefined ? {} : { 'Accept-Language': browser };
      for (const method of ['get', 'post'] as const) {
        const bad = await request(app)[method]('/card-update/v1.a.b').set(headers).expect(404);
        if (locale === undefined) expect(bad.text).toContain(`<html lang="${expected}" dir="ltr">`);
      }
      const { text } = await request(app).get(preferring(locale)).set(headers);
      expect(text).toContain(`<html lang="${expected}" dir="ltr">`);
    },
  );

  test('the card-update page is in English for a language that nobody has texts for', async () => {
    const { text } = await request(createPage({ emailLook: { language: 'tlh' } }).app).get(link);
    expect(text).toContain('<html lang="en" dir="ltr">');
  });

  test('the card-update page names the open amount and the end of the link as the reader writes them', async () => {
    const { app, clock } = createPage();
    const page = preferring('de', 'Europe/Berlin');
    const { text } = await request(app).get(page);
    expect(plain(text)).toContain('Offener Betrag: <strong>19,99 €</strong>');
    expect(plain(text)).toContain('bis zum 15. Juni 2026 um 14:00 MESZ');
    await clock.set(claims.expiresAt);
    const ended = await request(app).get(page).expect(410);
    expect(plain(ended.text)).toContain('bis zum 15. Juni 2026 um 14:00 MESZ');
  });

  test('the card-update page leaves out the amount that cannot be found', async () => {
    for (const findInvoice of [async () => undefined, () => Promise.reject(new Error('database down'))]) {
      const { text } = await request(createPage({ findInvoice }).app).get(link).expect(200);
      expect(text).toContain('<button');
      expect(text).not.toMatch(/Open amount|\{\w+\}|undefined/);
    }
  });

  test("the words for a failure of the portal and for too many visits are in the reader's language, too", async () => {
    const { app } = createPage({ createPortalSession: () => Promise.reject(new Error('away')) });
    const failed = await request(app).post(preferring('nl')).expect(502);
    expect(failed.text).toContain('Opnieuw proberen');
    for (let visit = 1; visit < 30; visit++) await request(app).post(link);
    const refused = await request(app).post(link).set('Accept-Language', 'es-MX').expect(429);
    expect(refused.text).toContain('<html lang="es-MX" dir="ltr">');
  });
});

describe('the button', () => {
  test('the button of the card-update page leads to a portal session that comes back to the thanks', async () => {
    const { app, calls } = createPage();
    const { status, headers } = await request(app).post(link);
    expect([status, headers.location]).toEqual([303, PORTAL]);
    expect(calls).toEqual([
      ['acct_1', 'in_1'],
      {
        account: 'acct_1',
        customerId: 'cus_1',
        returnUrl: `https://shop.example/billing/card-update/${token}?done=1`,
        recoverableUntil: claims.expiresAt,
      },
    ]);
  });

  test('the card-update page says that nothing is due for an invoice that may not be collected', async () => {
    const { app, calls } = createPage({
      findInvoice: async () => ({ owed: [] }),
    });
    for (const method of ['get', 'post'] as const) {
      const response = await request(app)[method](link).expect(200);
      expect(response.text).toContain('<h1>Nothing is due</h1>');
      expect(response.text).not.toContain('<button');
    }
    expect(calls).toEqual([]);
  });

  test('the button of the card-update page works for an invoice of which nothing is known', async () => {
    await request(createPage({ findInvoice: async () => undefined }).app)
      .post(link)
      .expect(303);
  });

  test('the card-update page asks to try again when Stripe fails, and logs ids but no secrets', async () => {
    const failure = new Error(`Invalid API Key provided: sk_test_****1234 for ${PORTAL}`);
    const { app, logged } = createPage({ createPortalSession: () => Promise.reject(failure) });
    const { status, text, headers } = await request(app).post(link);
    expect(status).toBe(502);
    expect(headers['content-type']).toMatch(/html/);
    expect(text).toContain('Please try again in a moment');
    expect(text).not.toContain('API Key');
    expect(logged).toHaveLength(1);
    const line = logged.join();
    for (const part of ['acct_1', 'cus_1', 'in_1', 'Invalid API Key']) expect(line).toContain(part);
    for (const part of ['sk_test', 'secretpath', token, SECRET]) expect(line).not.toContain(part);
  });

  test('the card-update page asks to try again when the invoice cannot be read', async () => {
    const { app, calls } = createPage({ findInvoice: () => Promise.reject(new Error('database down')) });
    await request(app).post(link).expect(502);
    expect(calls).toEqual([]);
  });
});

describe.each(['get', 'post'] as const)('a link that is no good, %s', (method) => {
  test('a card-update link is gone once it has expired, and says how to get another', async () => {
    const { app, clock, calls } = createPage();
    await clock.set(claims.expiresAt);
    const { status, text } = await request(app)[method](link);
    expect(status).toBe(410);
    expect(text).toContain('reply to the email');
    expect(text).toContain('<bdi>Acme</bdi>');
    expect(text).not.toContain('<button');
    expect(calls).toEqual([]);
  });

  test.each(['v1.a.b', `${token}x`, 'x'.repeat(7000), '%00', '%F0%9F%9B%92', '%E0%A4%A', '%'])(
    'a card-update link is not found when it is not ours (case %#)',
    async (text) => {
      const { app, calls, logged } = createPage();
      const response = await request(app)[method](`/card-update/${text}`);
      expect(response.status).toBe(404);
      expect(response.text).toContain('<h1>This link does not work</h1>');
      expect([calls, logged]).toEqual([[], []]);
    },
  );

  test('a card-update link opens nothing while it is not known whether it is over', async () => {
    const { app, calls, logged } = createPage({ isOver: () => Promise.reject(new Error('database down')) });
    for (const address of [link, `${link}?done=1`]) {
      const response = await request(app)[method](address).expect(500);
      expect(response.text).toContain('<h1>Something went wrong</h1>');
    }
    expect([calls, logged.length]).toEqual([[], 2]);
  });

  test('a card-update link is not found when no link secret is set', async () => {
    for (const linkSecret of [undefined, '']) {
      const forged = createLinkToken(claims, '');
      await request(createPage({ linkSecret }).app)[method](`/card-update/${forged}`).expect(404);
    }
  });
});

describe('the headers', () => {
  const policy = (headers: Record<string, string>) => headers['content-security-policy'] ?? '';

  test.each(['get', 'post'] as const)(
    'the headers of the card-update page keep %s out of caches, frames, search and referrers',
    async (method) => {
      const { headers } = await request(createPage().app)[method](link);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'x-content-type-options': 'nosniff',
      });
      expect(policy(headers)).toContain("default-src 'none'");
      expect(policy(headers)).toContain("frame-ancestors 'none'");
      expect(policy(headers)).not.toMatch(/script-src|unsafe/);
      expect(headers).not.toHaveProperty('strict-transport-security');
    },
  );

  test('the headers of the card-update page let the form lead to https, and to the same machine only when we are on it', async () => {
    const remote = await request(createPage().app).get(link);
    expect(policy(remote.headers)).toMatch(/form-action 'self' https:(;|$)/);
    const local = await request(createPage({ publicUrl: new URL('http://localhost:8080') }).app).get(link);
    expect(policy(local.headers)).toContain(
      "form-action 'self' https: http://127.0.0.1:* http://localhost:*",
    );
  });

  test('the headers of the card-update page are not set on other pages of the same application', async () => {
    const { app } = createPage();
    app.get('/other', (_request, response) => void response.send('other'));
    const { headers } = await request(app).get('/other');
    expect(headers).not.toHaveProperty('content-security-policy');
    expect(headers).not.toHaveProperty('x-robots-tag');
  });
});

test.each([
  ['post', 30, 303],
  ['get', 120, 200],
] as const)('%s is limited to %d requests of one address', async (method, limit, status) => {
  const { app } = createPage();
  for (let visit = 0; visit < limit; visit++) await request(app)[method](link).expect(status);
  const { text, headers } = await request(app)[method](link).expect(429);
  expect(text).toContain('wait a few minutes');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  const other = method === 'get' ? 'post' : 'get';
  await request(app)
    [other](link)
    .expect(other === 'get' ? 200 : 303);
});

test('a form without CSS or scripts posts to its own address', async () => {
  const { app } = createPage();
  const { text } = await request(app).get(link);
  expect(text).toContain('<form method="post"><button type="submit">');
});

test('an unforeseen failure gives a page, not a stack', async () => {
  const broken = createSimulatedClock(start);
  const clock = {
    ...broken,
    now: () => {
      throw new Error('no time');
    },
  };
  const { app, logged } = createPage({ clock });
  const { status, text } = await request(app).get(link);
  expect(status).toBe(500);
  expect(text).toContain('Something went wrong');
  expect(text).not.toContain('no time');
  expect(logged.join()).toContain('no time');
});
