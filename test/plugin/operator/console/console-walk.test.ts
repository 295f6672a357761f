/** The console in Chromium: one walk by keyboard alone, on a desk, a tablet and a phone, light and dark. */
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { contrast } from '../../../../src/plugin/mails/brand-colors.ts';
import { CONSOLE_STYLE } from '../../../../src/plugin/operator/console/console-style.ts';
import { buryEvent, recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { acceptsFirst, declines } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { eventually } from '../../../support/eventually.ts';
import { findChromium } from '../../../support/find-chromium.ts';
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

  const signIn = async (to: Page) => {
    await to.waitForSelector('#password:focus');
    await to.keyboard.type(PASSWORD);
    await to.keyboard.press('Enter');
    await to.waitForSelector('header nav');
  };

  // A tablet shows the page that a desk shows, so its walk is that of a desk.
  test.each([
    ['a desk and a tablet', [1280, 768]],
    ['a phone', [390]],
  ])(
    'by keyboard alone one signs in, finds an invoice, stops or resumes it, and sees its customer (%s, light and dark)',
    async (device, widths) => {
      const [width = 0] = widths;
      const own = await browser.newContext({ viewport: { width, height: 844 } });
      const walker = await own.newPage();
      walker.on('console', (message) => complaints.push(message.text()));
      const arrive = async (title: RegExp) => {
        await eventually(async () => expect(await walker.title()).toMatch(title));
        await walker.evaluate(axe.source);
        for (const other of widths.toReversed()) {
          await walker.setViewportSize({ width: other, height: 844 });
          const found = [await listViolations(walker, BUT_COLOR)];
          for (const flaw of [CUT_OFF, NOT_BY_KEYS, ...(other < 720 ? [SMALL] : [])])
            found.push(await walker.evaluate<string[]>(flaw));
          expect([title, other, found.flat()]).toEqual([title, other, []]);
          const filled = await walker.evaluate('document.documentElement.scrollWidth');
          expect([title, filled]).toEqual([title, other]);
        }
        for (const colorScheme of ['dark', 'light'] as const) {
          await walker.emulateMedia({ colorScheme });
          const pale = await listViolations(walker, COLOR_ALONE);
          expect([title, colorScheme, pale]).toEqual([title, colorScheme, []]);
          const back = await walker.evaluate('getComputedStyle(document.body).backgroundColor');
          expect(back).toBe(toRgb(colorsOf(colorScheme)('back')));
        }
      };
      const press = async (name: string) => {
        await tabTo(walker, name);
        await walker.keyboard.press('Enter');
      };

      await walker.goto(`${world.url}/console/`);
      await signIn(walker);
      await arrive(/^Overview/);
      await walker.keyboard.press('Tab');
      expect(await walker.evaluate(ACTIVE)).toBe('Skip to the content');
      expect(await walker.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
      if (width < 720)
        expect(
          await walker.evaluate('document.querySelector(".bar").offsetHeight / innerHeight'),
        ).toBeLessThan(0.1);
      await press('Invoices');
      await arrive(/^Invoices/);
      await press('$20.00');
      await arrive(/, SBX-\d+/);
      await tabTo(walker, FAILURE);
      await walker.keyboard.press('Enter');
      expect(await walker.innerText('.timeline details[open]')).toMatch(
        /decline code (do_not_honor|lost_card)/,
      );
      const isHeld = await walker.isVisible('summary:text-is("Resume collection")');
      await press(isHeld ? 'Resume collection' : 'Stop collection');
      expect(await walker.innerText('.act[open] .will')).not.toBe('');
      await tabTo(walker, 'Reason');
      await walker.keyboard.type(`the customer called (${device})`);
      await walker.keyboard.press('Enter');
      await walker.waitForSelector('h2:text-is("Done")');
      await press('Close');
      await eventually(async () => expect(await walker.title()).toMatch(/, SBX-\d+/));
      expect(await walker.innerText('.timeline')).toContain(`the customer called (${device})`);
      expect(await walker.isVisible(`summary:text-is("${isHeld ? 'Stop' : 'Resume'} collection")`)).toBe(
        true,
      );
      await tabTo(walker, CUSTOMER);
      await walker.keyboard.press('Enter');
      await arrive(/^(?!.*SBX).+ · Payment Retry/);
      await press('Overview');
      await eventually(async () => expect(await walker.title()).toMatch(/^Overview/));
      await own.close();
    },
  );

  test('a link on another site leads into the console', async () => {
    await visit('/timing');
    await signIn(page);
    expect(await context.cookies()).toEqual([
      expect.objectContaining({ path: home(), httpOnly: true, sameSite: 'Lax' }),
    ]);
    await page.goto(`data:text/html,<a href="${world.url}/console/invoices/${invoiceId}">look</a>`);
    await page.click('a');
    await eventually(async () => expect(await page.title()).toContain('SBX'));
    expect(page.url()).toBe(`${world.url}/console/invoices/${invoiceId}`);
  });

  test('the menu and the lists lead to every page, which is whole without script, as an email is', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    await plain.addCookies(await context.cookies());
    const reader = await plain.newPage();
    reader.on('console', (message) => complaints.push(message.text()));
    const read = async (path: string) => {
      const answer = await reader.goto(`${world.url}/console${path}`);
      expect([path, answer?.status(), await reader.locator('main h1').count()]).toEqual([path, 200, 1]);
    };
    const linksIn = async (part: string) => {
      const all = await reader
        .locator(`${part} a`)
        .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname));
      return all.map((path) => path.replace(home(), '') || '/');
    };
    await read('/');
    const menu = [...new Set(await linksIn('header nav'))];
    expect(menu).toEqual([
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
    ]);
    const single: string[] = [];
    for (const path of [...menu.slice(1), '/attempts', '/email-outcomes']) {
      await read(path);
      if (!['/invoices', '/customers', '/emails'].includes(path)) continue;
      const found = (await linksIn('main')).find((link) => link.startsWith(`${path}/`));
      expect(found).toMatch(/\/(in_sbx|cus_|[\da-f]{8}-)/);
      single.push(found ?? '');
    }
    for (const path of single) await read(path);
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

const BY_COLOR = ['color-contrast', 'link-in-text-block'];
const COLOR_ALONE = { runOnly: BY_COLOR };
const BUT_COLOR = { rules: Object.fromEntries(BY_COLOR.map((id) => [id, { enabled: false }])) };

/** On a page that has axe. */
function listViolations(page: Page, options: object): Promise<string[]> {
  return page.evaluate<string[]>(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 120))))`);
}

const CUSTOMER = { expression: `document.activeElement.matches('dd a[href*="customers/"]')` };

/** What opens the details of the oldest entry. */
const FAILURE = { expression: `document.activeElement.matches('.timeline li:last-child summary')` };

/** Name of the focused element: a field has its label's. */
const ACTIVE =
  '(document.activeElement.labels?.[0] ?? document.activeElement).innerText.trim().split("\\n")[0]';

/** `to`: the focused element's name, or an expression that is true once it has the focus. */
async function tabTo(page: Page, to: string | { readonly expression: string }): Promise<void> {
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press('Tab');
    const isThere =
      typeof to === 'string'
        ? `document.activeElement.matches('a, button, summary, input') && ${ACTIVE} === ${JSON.stringify(to)}`
        : to.expression;
    if (await page.evaluate<boolean>(isThere)) return;
  }
  throw new Error(`No press of the tab key comes to ${JSON.stringify(to)}.`);
}

/** Texts that are wider than the element they stand in. */
const CUT_OFF = `[...document.querySelectorAll('main *')]
  .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && !one.closest('svg, .unseen, details:not([open])')
    && getComputedStyle(one).overflowX !== 'auto' && getComputedStyle(one).textOverflow !== 'ellipsis')
  .map((one) => one.outerHTML.slice(0, 120))`;

/** Targets of less than 24 pixels (WCAG 2.5.8); links within a sentence are exempt. */
const SMALL = `[...document.querySelectorAll('a[href], button, summary')]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== 'inline' && !one.closest('.skip, svg, label') && Math.min(one.offsetHeight, one.offsetWidth) < 24)
  .map((one) => one.outerHTML.slice(0, 120))`;

/** What can be pressed and no key comes to. */
const NOT_BY_KEYS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, .wide')]
  .filter((one) => one.tabIndex < 0 && one.checkVisibility()).map((one) => one.outerHTML.slice(0, 120))`;

function toRgb(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return `rgb(${red}, ${green}, ${blue})`;
}
