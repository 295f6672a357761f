import { createServer } from 'node:http';
import express from 'express';
import { DateTime } from 'luxon';
import { type Browser, chromium, type Page } from 'playwright-core';
import { previewPages } from '../../../../scripts/previews/preview-pages.ts';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { contrast } from '../../../../src/plugin/mails/brand-colors.ts';
import { createLinkToken } from '../../../../src/plugin/retry/mail/card-update-link.ts';
import { createCardUpdateRouter } from '../../../../src/plugin/retry/mail/card-update-page.ts';
import { PAGE_STYLE, renderCardUpdatePage } from '../../../../src/plugin/retry/mail/card-update-views.tsx';
import { findChromium } from '../../../support/find-chromium.ts';
import { closeServer, listenOnLoopback } from '../../../support/http/loopback-server.ts';

const SECRET = 'a-secret-of-more-than-thirty-two-characters';

/** The values of the style's colours, first in light, then in dark mode. */
function colorsOf(mode: 'light' | 'dark'): (name: string) => string {
  const roots = [...PAGE_STYLE.matchAll(/:root \{[^}]*\}/g)].map(String);
  const root = roots[mode === 'light' ? 0 : 1] ?? '';
  return (name) => {
    const digits = new RegExp(`--${name}: #([0-9a-f]{3,6})`).exec(root)?.[1];
    if (digits === undefined) throw new Error(`The page has no colour ${name} in ${mode} mode.`);
    return digits.length === 6 ? `#${digits}` : `#${digits.replace(/./g, '$&$&')}`;
  };
}

test.each(['light', 'dark'] as const)(
  'every text of the page can be read in %s mode (WCAG 2.2, 1.4.3)',
  (mode) => {
    const color = colorsOf(mode);
    expect(contrast(color('text'), color('card'))).toBeGreaterThan(4.5);
    expect(contrast(color('soft'), color('card'))).toBeGreaterThan(4.5);
    expect(contrast(color('on'), color('button'))).toBeGreaterThan(4.5);
    // The button and its focus ring against what is around them (1.4.11).
    for (const name of ['button', 'action']) expect(contrast(color(name), color('card'))).toBeGreaterThan(3);
  },
);

const executablePath = findChromium();
const describeInBrowser = executablePath ? describe : describe.skip;

describeInBrowser('in Chromium', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox'],
    });
    page = await browser.newPage({ viewport: { width: 320, height: 560 } });
  });
  afterAll(() => browser.close());

  test('every state of the card-update page fits a small phone in every language', async () => {
    const pages = previewPages();
    await page.setContent('');
    // Their documents one after the other in one page: to load each takes longer than to look at it.
    const widths = await page.evaluate(
      `(${JSON.stringify(pages)}).map(({ name, html }) => {
        document.documentElement.innerHTML = html;
        return [name, document.documentElement.scrollWidth, document.querySelector('h1')?.offsetHeight > 0];
      })`,
    );
    expect(widths).toEqual(pages.map(({ name }) => [name, 320, true]));
  });

  test('one press of the tab key reaches the button of the card-update page, and shows that it did', async () => {
    await page.setContent(renderCardUpdatePage('update', { locale: 'de', merchantName: 'Acme' }));
    const outline = () => page.evaluate("getComputedStyle(document.querySelector('button')).outlineStyle");
    expect(await outline()).toBe('none');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BUTTON');
    expect(await outline()).toBe('solid');
    await page.evaluate(
      "document.forms[0].addEventListener('submit', (event) => { event.preventDefault(); document.title = 'sent'; })",
    );
    await page.keyboard.press('Enter');
    expect(await page.title()).toBe('sent');
  });

  test.each(['light', 'dark'] as const)(
    'the card-update page wears the colour of the merchant in %s mode',
    async (colorScheme) => {
      const now = DateTime.fromISO('2026-06-01T12:00:00Z', { zone: 'utc' });
      const claims = {
        account: 'acct_1',
        customerId: 'cus_1',
        invoiceId: 'in_1',
        expiresAt: now.plus({ days: 1 }),
      };
      const router = createCardUpdateRouter({
        linkSecret: SECRET,
        clock: createSimulatedClock(now),
        logger: silentLogger,
        noteLinkUse: async () => {},
        isOver: async () => false,
        findInvoice: async () => ({
          owed: [{ id: 'in_1', amount: 1999, currency: 'eur', plan: undefined, issuedAt: DateTime.utc() }],
        }),
        createPortalSession: async () => ({ url: 'https://billing.stripe.com' }),
        publicUrl: new URL('https://shop.example'),
        merchantName: async () => 'Acme',
        brandColor: async () => '#ffe14d',
        emailLook: { language: 'en', logoUrl: 'https://cdn.example/logo.png' },
        timeZone: 'UTC',
      });
      const server = createServer(express().use(router));
      const url = await listenOnLoopback(server);
      try {
        await page.emulateMedia({ colorScheme });
        const answer = await page.goto(`${url}/card-update/${createLinkToken(claims, SECRET)}`);
        const style = 'getComputedStyle(document.querySelector("button"))';
        expect(await page.evaluate(`[${style}.backgroundColor, ${style}.color]`)).toEqual([
          'rgb(255, 225, 77)',
          'rgb(0, 0, 0)',
        ]);
        expect(answer?.headers()['content-security-policy']).toContain(';img-src https://cdn.example');
      } finally {
        await closeServer(server);
      }
    },
  );
});
