/** A merchant's weeks as Chromium shows them: on a small phone and a wide screen, by day and by night. */
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { contrast } from '../../../../src/plugin/mails/brand-colors.ts';
import { CONSOLE_STYLE } from '../../../../src/plugin/operator/console/console-style.ts';
import { buryEvent, recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { acceptsFirst, declines } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { findChromium } from '../../../support/find-chromium.ts';
import { firstOf } from '../../../support/runner/full-run.ts';
import { failingInvoice } from '../../../support/scenario.ts';
import { createWorld, type World } from '../../../support/world.ts';

/** The values of the style's colours, first in light, then in dark mode. */
function colorsOf(mode: 'light' | 'dark'): (name: string) => string {
  const root = [...CONSOLE_STYLE.matchAll(/:root \{[^}]*\}/g)].map(String)[mode === 'light' ? 0 : 1] ?? '';
  return (name) => {
    const color = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(root)?.[1];
    if (color === undefined) throw new Error(`The console has no colour ${name} in ${mode} mode.`);
    return color;
  };
}

const READ_ON = [
  ...['text', 'soft', 'action', 'good', 'bad', 'warn'].map((text) => [text, 'card'] as const),
  ...['text', 'soft', 'action', 'bad'].map((text) => [text, 'back'] as const),
  ...['text', 'action', 'warn'].map((text) => [text, 'quiet'] as const),
];

test.each(['light', 'dark'] as const)('every text can be read in %s mode (WCAG 2.2, 1.4.3)', (mode) => {
  const color = colorsOf(mode);
  for (const [text, ground] of READ_ON)
    expect([text, ground, contrast(color(text), color(ground)) >= 4.5]).toEqual([text, ground, true]);
  expect(contrast(color('on'), color('button'))).toBeGreaterThanOrEqual(4.5);
  expect(contrast(color('on'), color('danger'))).toBeGreaterThanOrEqual(4.5);
  for (const tone of ['good', 'info', 'warn', 'bad'])
    expect([tone, contrast(color(tone), color(`${tone}back`)) >= 4.5]).toEqual([tone, true]);
  // The border of a field, the ring around what has the focus, and the marks of the plot (1.4.11).
  for (const mark of ['field', 'action'])
    expect(contrast(color(mark), color('card'))).toBeGreaterThanOrEqual(3);
});

const PASSWORD = 'correct horse: battery staple';
const executablePath = findChromium();
const describeInBrowser = executablePath ? describe : describe.skip;

describeInBrowser('in Chromium', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let invoiceId: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    world = await createWorld({ plugin: { consolePassword: PASSWORD, experiment: 'schedule:10' } });
    ({ invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('do_not_honor')), {
      name: '<script>document.title = "taken"</script>',
    }));
    await failingInvoice(world, acceptsFirst(1, declines('lost_card', {}, { last4: '9987' })));
    await world.advance({ days: 9 });
    const { database } = world.plugin.parts;
    const now = world.clock.now();
    const key = { account: 'own', id: 'evt_1' };
    const event = { ...key, type: 'invoice.paid', createdAt: now, receivedAt: now, payload: '{}' };
    await recordEvents(database, [event]);
    await buryEvent(database, key, `Error: ${'averylongwordwithoutanyplacetobreak'.repeat(8)}`, now);
    browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox'],
    });
    context = await browser.newContext();
    page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });

  const visit = (path: string) => page.goto(`${world.url}/console${path}`);
  const home = () => `${new URL(world.url).pathname}/console`;

  test('one signs in to the console with the keyboard alone and comes to the wanted page', async () => {
    await visit('/timing');
    await page.waitForSelector('#password:focus');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${world.url}/console/timing`);
    expect(await page.title()).toBe('Experiment · Payment Retry');
    expect(await context.cookies()).toEqual([
      expect.objectContaining({ path: home(), httpOnly: true, sameSite: 'Lax' }),
    ]);
  });

  test('a link on another site leads into the console', async () => {
    await page.goto(`data:text/html,<a href="${world.url}/console/invoices/${invoiceId}">look</a>`);
    await page.click('a');
    await page.waitForFunction('document.title.includes("in_")');
    expect(page.url()).toBe(`${world.url}/console/invoices/${invoiceId}`);
  });

  test('the first press of the tab key in the console offers to skip the menu', async () => {
    await visit('');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    expect(await page.evaluate('document.activeElement.getBoundingClientRect().left >= 0')).toBe(true);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  });

  test('an invoice is found from any page of the console, with its history', async () => {
    await visit('/timing');
    await page.fill('header input[type=search]', `  ${invoiceId} `);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${world.url}/console/invoices/${invoiceId}`);
    const text = await page.innerText('main');
    expect(text).toContain('Open, $20.00 remaining');
    expect(text).toContain(': declined by the bank, without a reason; ');
    expect(text).not.toContain('do_not_honor');
    await page.locator('.entry summary').first().click();
    expect(await page.innerText('main')).toContain('decline code do_not_honor');
    expect(text).toMatch(/Next\s+Payment at 2026-/);
  });

  /** Every page there is, and two that there are not. */
  const listPages = async () => {
    const hrefs = async (path: string) => {
      await visit(path);
      return page.$$eval('main a', (all) =>
        all.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
      );
    };
    const firstOf = async (list: string) => {
      const found = (await hrefs(list)).find((path) => path.startsWith(`${home()}${list}/`));
      if (found === undefined) throw new Error(`${list} leads to nothing.`);
      return found.replace(home(), '');
    };
    await visit('');
    const menu = await page.$$eval('header nav a', (all) =>
      all.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
    );
    const single = [];
    for (const list of ['/invoices', '/customers', '/emails']) single.push(await firstOf(list));
    const places = [...new Set(menu)].map((path) => path.replace(home(), '') || '/');
    return [...places, '/attempts', '/email-outcomes', ...single, '/invoices/in_unknown', '/nothing'];
  };

  test('the menu and the lists of the console lead to all its pages', async () => {
    expect((await listPages()).map((path) => path.replace(/\/(in_sbx|cus_|[\da-f]{8}-).*/, '/…'))).toEqual([
      ...[
        '/',
        '/needs',
        '/invoices',
        '/customers',
        '/emails',
        '/audit',
        '/reports',
        '/deliveries',
        '/checks',
        '/timing',
        '/settings',
      ],
      '/attempts',
      ...['/email-outcomes', '/invoices/…', '/customers/…', '/emails/…', '/invoices/in_unknown', '/nothing'],
    ]);
  });

  test.each([
    [320, 'dark'],
    [1280, 'light'],
  ] as const)(
    'every page of the console fits %d pixels in %s mode and is reached by keys',
    async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const pages = await listPages();
      for (const path of width === 320 ? pages : firstOf(5, pages)) {
        await visit(path);
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
        expect([path, await page.evaluate(CUT_OFF)]).toEqual([path, []]);
        expect([path, await findSerious(page)]).toEqual([path, []]);
        expect([path, await page.evaluate(NOT_BY_KEYS)]).toEqual([path, []]);
        const back = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect([path, back]).toEqual([path, toRgb(colorsOf(colorScheme)('back'))]);
      }
    },
  );

  test.each(['', '/invoices', '/customers', '/emails', '/audit'])(
    'a phone and a wide screen show every cell of the list at "%s" of the console whole, without scrolling sideways',
    async (path) => {
      await visit(path);
      expect(await page.locator('main tbody tr').count()).toBeGreaterThan(0);
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect([width, await page.evaluate(NOT_WHOLE)]).toEqual([width, []]);
      }
    },
  );

  test('without script every page of the console is whole, and an email is shown as it was sent', async () => {
    const pages = await listPages();
    const cookies = await context.cookies();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    await plain.addCookies(cookies);
    const reader = await plain.newPage();
    for (const path of firstOf(8, pages.slice(0, -2))) {
      const answer = await reader.goto(`${world.url}/console${path}`);
      expect([path, answer?.status(), await reader.locator('main h1').count()]).toEqual([path, 200, 1]);
    }
    await reader.goto(`${world.url}/console${pages.find((path) => path.startsWith('/emails/'))}`);
    const email = reader.frameLocator('iframe').locator('body');
    expect(await email.innerText()).toContain('/card-update/*');
    await plain.close();
  });

  test('a menu of the console closes on Escape and on a click elsewhere', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await visit('');
    const menu = page.locator('header .menu');
    await menu.locator('summary').click();
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('open')).toBeNull();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
    await menu.locator('summary').click();
    await page.click('footer');
    expect(await menu.getAttribute('open')).toBeNull();
  });

  test.each([true, false])(
    'a link to a setting that has its default value shows it (script: %s)',
    async (javaScriptEnabled) => {
      const cookies = await context.cookies();
      const other = await browser.newContext({ javaScriptEnabled });
      await other.addCookies(cookies);
      const reader = await other.newPage();
      const place = reader.locator('details #REMINDER_DAYS');
      await reader.goto(`${world.url}/console/settings`);
      expect(await place.isVisible()).toBe(false);
      await reader.goto(`${world.url}/console/settings#REMINDER_DAYS`);
      await place.waitFor({ state: 'visible' });
      await other.close();
    },
  );

  test('an invoice is stopped by a form that is opened, told why and confirmed, and a double click does it once', async () => {
    await visit(`/invoices/${invoiceId}`);
    await page.click('summary:text-is("Stop")');
    await page.fill('.act[open] input[name=reason]', 'the customer called');
    await page.dblclick('.act[open] button');
    await page.waitForSelector('h2:text-is("Done")');
    expect(await page.innerText('h1')).toContain(invoiceId);
    await page.click('a:text-is("Close")');
    await page.waitForURL(`${world.url}/console/invoices/${invoiceId}`);
    expect(await page.innerText('main')).toContain('the customer called');
    expect(await page.isVisible('summary:text-is("Release")')).toBe(true);
  });

  test('what a guard would refuse is a button that cannot be pressed, with the reason and what helps', async () => {
    await visit(`/invoices/${invoiceId}`);
    const refused = page.locator('.act.off', { has: page.locator('button:text-is("Retry now")') });
    expect(await refused.locator('button').first().isDisabled()).toBe(true);
    expect(await refused.innerText()).toContain('To collect it anyway, release it first.');
    expect(await refused.innerText()).not.toContain('guard');
    await page.click('summary:text-is("Release")');
    expect(await page.innerText('.act[open] .will')).toMatch(/^Charge nothing now; the service/);
    expect(await findSerious(page)).toEqual([]);
  });

  const endSessions = () => world.plugin.parts.database.query('delete from payment_retry.sessions');
  const signInAgain = async () => {
    await page.waitForSelector('text=You were signed out. Nothing was done yet');
    await page.fill('#password', PASSWORD);
    await page.keyboard.press('Enter');
  };

  test('a form that is sent after the session is over does nothing, and is there again with what was entered', async () => {
    await visit(`/invoices/${invoiceId}`);
    await page.click('summary:text-is("Postpone")');
    await page.fill('.act[open] input[name=until]', '2099-01-01T09:30');
    await page.fill('.act[open] input[name=reason]', 'café & more');
    await endSessions();
    await page.click('.act[open] button');
    await signInAgain();
    await page.waitForURL(`${world.url}/console/invoices/${invoiceId}?*`);
    expect(await page.innerText('main [role=status]')).toContain('Nothing was done yet');
    expect(await page.inputValue('.act[open] input[name=until]')).toBe('2099-01-01T09:30');
    expect(await page.inputValue('.act[open] input[name=reason]')).toBe('café & more');
    await page.click('.act[open] button');
    await page.waitForSelector('h2:text-is("Not done")');
    expect(await page.innerText('.answer')).toContain('more than 90 days away');
  });

  test('an address with its filters is found again after signing in anew', async () => {
    await endSessions();
    await visit('/invoices?state=unpaid&q=caf%C3%A9+x&sort=next');
    await signInAgain();
    await page.waitForURL(`${world.url}/console/invoices?state=unpaid&q=caf%C3%A9+x&sort=next`);
  });

  test('a page that renews itself says when the session is over, and what has the focus keeps it until then', async () => {
    const own = await context.newPage();
    await own.clock.install();
    await own.goto(`${world.url}/console/invoices`);
    await own.focus('main .list tbody a');
    const focused = await own.evaluate<string>('document.activeElement.href');
    await own.evaluate('document.querySelector("main h1").textContent = "older"');
    await own.clock.runFor(21_000);
    await own.waitForSelector('h1:text-is("Invoices")');
    expect(await own.evaluate('document.activeElement.href')).toBe(focused);
    await endSessions();
    await own.clock.runFor(21_000);
    await own.waitForSelector('.alarm.over a:text-is("Sign in again")');
    expect(await own.locator('main .list tbody tr').count()).toBeGreaterThan(0);
    await own.close();
    await visit('');
    await signInAgain();
    await page.waitForURL(`${world.url}/console/`);
  });

  test('signing out of the console ends the session', async () => {
    await visit('');
    await page.click('text=Sign out');
    await page.waitForURL(`${world.url}/console/login`);
    expect((await context.cookies()).filter(({ httpOnly }) => httpOnly)).toEqual([]);
    await visit('/timing');
    expect(page.url()).toBe(`${world.url}/console/login?to=timing`);
  });

  test('the content security policy refuses nothing in the console, and no text becomes a script', () => {
    expect(complaints.filter((text) => !/status of 40[49]/.test(text))).toEqual([]);
  });
});

/** What axe calls serious or critical. */
async function findSerious(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 120))))`);
}

/** Texts that are wider than the element they stand in. */
const CUT_OFF = `[...document.querySelectorAll('main *')]
  .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && !one.closest('svg, .unseen, details:not([open])')
    && getComputedStyle(one).overflowX !== 'auto' && getComputedStyle(one).textOverflow !== 'ellipsis')
  .map((one) => one.outerHTML.slice(0, 120))`;

/** Cells of lists of which a part lies outside of the window, or is left out. */
const NOT_WHOLE = `[...document.querySelectorAll('main tbody :is(th, td)')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > window.innerWidth)
  .map((one) => one.outerHTML.slice(0, 120))`;

/** What can be pressed and no key comes to. */
const NOT_BY_KEYS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, .wide')]
  .filter((one) => one.tabIndex < 0 && one.checkVisibility()).map((one) => one.outerHTML.slice(0, 120))`;

function toRgb(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return `rgb(${red}, ${green}, ${blue})`;
}
