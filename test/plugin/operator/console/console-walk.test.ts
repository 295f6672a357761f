/** The console in Chromium: a walk by keyboard alone, on a desk, a tablet and a phone, light and dark; and a view of the Stripe App. */
import { Secret, TOTP } from 'otpauth';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { buryEvent, recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { acceptsFirst, declines } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { eventually } from '../../../support/eventually.ts';
import { findChromium } from '../../../support/find-chromium.ts';
import { operate } from '../../../support/operate.ts';
import { failingInvoice } from '../../../support/scenario.ts';
import { createWorld, type World } from '../../../support/world.ts';
import { SECRET as APP_SECRET, bodyOf, sign } from '../stripe-app/app-harness.ts';
import { PASSWORD, PASSWORD_HASH } from './console-harness.ts';
import {
  ACTIVE,
  askFromView,
  COLOR_ALONE,
  CUSTOMER,
  CUT_OFF,
  colorsOf,
  expectNoViolation,
  FAILURE,
  NOT_BY_KEYS,
  SMALL,
  tabTo,
  toRgb,
} from './walk-probes.ts';

const AUTHENTICATOR = new Secret({ size: 20 });
const OPERATORS = [
  `anna:administrator:${PASSWORD_HASH}`,
  `tom:operator:${PASSWORD_HASH}:totp:${AUTHENTICATOR.base32}`,
  `rita:reader:${PASSWORD_HASH}`,
];
const executablePath = findChromium();
const describeInBrowser = executablePath ? describe : describe.skip;

describeInBrowser('in Chromium', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  /** One for all but those without script or from elsewhere: another context takes half a second. */
  let page: Page;
  let invoiceId: string;
  /** Address of the invoice that the walks stopped. */
  let walked: string | undefined;
  const complaints: string[] = [];

  beforeAll(async () => {
    const consoleUsers = OPERATORS.join();
    world = await createWorld({
      plugin: { consoleUsers, experiment: 'schedule:10', stripeAppSecret: APP_SECRET },
    });
    ({ invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('do_not_honor')), {
      name: '<script>document.title = "taken"</script>',
    }));
    await failingInvoice(world, acceptsFirst(1, declines('lost_card', {}, { last4: '9987' })));
    await world.advance({ hours: 8 });
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

  const signIn = async (to: Page, name = 'anna') => {
    await to.waitForSelector('#username:focus');
    await to.keyboard.type(name);
    await to.keyboard.press('Tab');
    await to.keyboard.type(PASSWORD);
    await to.keyboard.press('Tab');
    const timestamp = world.clock.now().toMillis();
    if (name === 'tom') await to.keyboard.type(new TOTP({ secret: AUTHENTICATOR }).generate({ timestamp }));
    await to.keyboard.press('Enter');
    await to.waitForSelector('header nav');
  };

  // A tablet shows the page that a desk shows, so its walk is that of a desk.
  test.each([
    ['a desk and a tablet', [1280, 768], 'tom'],
    ['a phone', [390], 'anna'],
  ])(
    'by keyboard alone one signs in, finds an invoice, stops it or takes that back, and sees its customer (%s, light and dark)',
    async (device, widths, name) => {
      const [width = 0] = widths;
      const isPhone = width < 720;
      await context.clearCookies();
      await page.setViewportSize({ width, height: 844 });
      const expectColors = async (colorScheme: 'light' | 'dark', options: object) => {
        await page.emulateMedia({ colorScheme });
        await expectNoViolation(page, options);
        const back = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(back).toBe(toRgb(colorsOf(colorScheme)('back')));
      };
      const arrive = async (title: RegExp) => {
        await eventually(async () => expect(await page.title()).toMatch(title));
        for (const other of widths) {
          await page.setViewportSize({ width: other, height: 844 });
          const found: string[][] = [];
          for (const flaw of [CUT_OFF, NOT_BY_KEYS, ...(isPhone ? [SMALL] : [])])
            found.push(await page.evaluate<string[]>(flaw));
          expect([title, other, found.flat()]).toEqual([title, other, []]);
          const filled = await page.evaluate('document.documentElement.scrollWidth');
          expect([title, filled]).toEqual([title, other]);
        }
        // What does not depend on colours is asked once, in the narrower of two.
        await expectColors('light', {});
        await page.setViewportSize({ width, height: 844 });
        await expectColors('dark', COLOR_ALONE);
      };
      const press = async (what: string) => {
        await tabTo(page, what);
        await page.keyboard.press('Enter');
      };

      await page.goto(`${world.url}/console/`);
      await expectNoViolation(page);
      await signIn(page, name);
      await arrive(/^Overview/);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(ACTIVE)).toBe('Skip to the content');
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
      if (isPhone)
        expect(await page.evaluate('document.querySelector(".bar").offsetHeight / innerHeight')).toBeLessThan(
          0.1,
        );
      await press('Invoices');
      await arrive(/^Invoices/);
      await press('$20.00');
      await arrive(/, SBX-\d+/);
      walked = page.url();
      await tabTo(page, FAILURE);
      await page.keyboard.press('Enter');
      expect(await page.innerText('.timeline details[open]')).toMatch(
        /decline code (do_not_honor|lost_card)/,
      );
      await press('Stop collection');
      expect(await page.innerText('.act[open] .will')).not.toBe('');
      await tabTo(page, 'Reason');
      await page.keyboard.type(`the customer called (${device})`);
      await page.keyboard.press('Enter');
      await page.waitForSelector('h2:text-is("Done")');
      await expectNoViolation(page);
      if (!isPhone) {
        await press('Undo');
        await page.waitForSelector('text=is collected again, as before');
      }
      await press('Close');
      await eventually(async () => expect(await page.title()).toMatch(/, SBX-\d+/));
      expect(await page.innerText('.timeline')).toContain(`the customer called (${device})`);
      const next = `summary:text-is("${isPhone ? 'Resume' : 'Stop'} collection")`;
      expect(await page.isVisible(next)).toBe(true);
      await tabTo(page, CUSTOMER);
      await page.keyboard.press('Enter');
      await arrive(/^(?!.*SBX).+ · Payment Retry/);
      await press('Overview');
      await eventually(async () => expect(await page.title()).toMatch(/^Overview/));
      await page.emulateMedia({ colorScheme: null });
      await page.setViewportSize({ width: 1280, height: 720 });
    },
  );

  test('a reader sees what was stopped and why, and is offered nothing', async () => {
    if (walked === undefined) {
      await operate(world, 'stop', { invoice: invoiceId }, 'the customer called (a phone)');
      walked = `${world.url}/console/invoices/${invoiceId}`;
    }
    await context.clearCookies();
    await page.goto(walked);
    await signIn(page, 'rita');
    await page.waitForURL(walked);
    expect(await page.innerText('main')).toContain('the customer called (a phone)');
    expect(await page.locator('form[action*=operations]').count()).toBe(0);
    await expectNoViolation(page);
  });

  test('a link on another site leads into the console', async () => {
    await context.clearCookies();
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

  /** On the page of settings: what a link to one of them brings into view. */
  const expectShown = async (on: Page, setting: Locator) => {
    expect(await setting.isVisible()).toBe(false);
    await on.goto(`${world.url}/console/settings#REMINDER_DAYS`);
    await setting.waitFor({ state: 'visible' });
  };

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
    expect(menu.join(' ')).toBe(
      '/ /needs /invoices /customers /emails /audit /reports /deliveries /checks /timing /settings',
    );
    const single: string[] = [];
    const setting = reader.locator('details #REMINDER_DAYS');
    for (const path of [...menu.slice(1), '/attempts', '/email-outcomes']) {
      await read(path);
      if (path === '/settings') await expectShown(reader, setting);
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

  test('a link to a setting that has its default value shows it, with the script and without', async () => {
    await visit('/settings');
    await expectShown(page, page.locator('details #REMINDER_DAYS'));
  });

  const endSessions = () => world.plugin.parts.database.query('delete from payment_retry.sessions');
  const signInAgain = async () => {
    await page.waitForSelector('text=You were signed out. Nothing was done yet');
    await page.fill('#username', 'anna');
    await page.fill('#password', PASSWORD);
    await page.keyboard.press('Enter');
  };

  test('a form that is sent after the session is over does nothing, and is there again with what was entered', async () => {
    await operate(world, 'release', { invoice: invoiceId });
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
    await expectNoViolation(page);
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

  test('a view of the Stripe App reads the answer, and also why it was refused', async () => {
    const body = bodyOf({ account_id: world.sandbox.state.account.id });
    const ask = (signature: string) => askFromView(context, `${world.url}/app/request`, { body, signature });
    expect(await ask(sign(body, world.clock.now()))).toBe(
      'null 200 {"success":true,"answer":{"id":"in_1","isKnown":false}}',
    );
    expect(await ask('t=1,v1=x')).toContain('SIGNATURE_INVALID');
  });

  test('the content security policy refuses nothing in the console, and no text becomes a script', () => {
    expect(complaints.filter((text) => !/status of 40[49]/.test(text))).toEqual([]);
  });
});
