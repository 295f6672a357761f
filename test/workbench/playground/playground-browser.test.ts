/** What a newcomer does in the first minute, in Chromium. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import {
  createPlayground,
  type Playground,
  runPlayground,
} from '../../../src/workbench/playground/playground.ts';
import { AXE } from '../../support/axe-source.ts';
import { newMigratedDirectory } from '../../support/database/data-directory.ts';
import { findChromium } from '../../support/find-chromium.ts';
import { inFull } from '../../support/runner/full-run.ts';

const executablePath = findChromium();
const describeInBrowser = executablePath ? describe : describe.skip;

describeInBrowser('the playground in Chromium', () => {
  let playground: Playground;
  let end: () => void;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox'],
    });
    context = await browser.newContext();
    page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    playground = await createPlayground({ dataDir: newMigratedDirectory() });
    end = runPlayground(playground, (error) => complaints.push(String(error)));
  });
  afterAll(async () => {
    end?.();
    await browser?.close();
    await playground?.stop();
  });

  test('a newcomer comes from failure by email and a new card to recovery, and sees a retry', async () => {
    await page.goto(playground.url);
    const story = page.locator('#story');
    const next = page.getByRole('button', { name: 'Next event' });
    await next.click();
    await story.getByText('renewal of $29.00 failed: insufficient funds').waitFor();
    await next.click();
    await story.getByText('renewal of $29.00 failed: card reported lost').waitFor();
    await next.click();
    await story.getByText('email sent: please update your card').waitFor();
    const button = page.frameLocator('#email-1 iframe').getByRole('link', { name: 'Update my card' });
    const [card] = await Promise.all([context.waitForEvent('page'), button.click()]);
    await card.locator('button').click();
    await card.getByRole('button', { name: 'mastercard ending in 5451' }).click();
    await card.waitForURL(`${playground.url}/payment-retry/card-update/**`);
    await story.getByText('retry 1 of $29.00 with the new card: paid').waitFor();
    await page.locator('#customer-ben', { hasText: 'active' }).waitFor();
    const steps = page.locator('#guide li.done');
    while ((await steps.count()) < 4) {
      const seen = await story.locator('li').count();
      await next.click();
      await story.locator('li').nth(seen).waitFor();
    }
    await story.getByText('retry 1 of $29.00: insufficient funds').waitFor();
  });

  inFull(
    'the clock of the playground runs while one looks, and the console opens beside it without a password',
    async () => {
      const clock = page.locator('#clock');
      const before = await clock.innerText();
      const placeOf = () => page.getByRole('button', { name: 'Next event' }).boundingBox();
      const place = await placeOf();
      await page.getByRole('button', { name: '1 day/s' }).click();
      await page.waitForFunction((text) => document.getElementById('clock')?.textContent !== text, before);
      const link = page.getByRole('link', { name: 'console' });
      const [console] = await Promise.all([context.waitForEvent('page'), link.click()]);
      await console.locator('h1', { hasText: 'Overview' }).waitFor();
      await console.close();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.locator('#speed-pause[aria-pressed=true]').waitFor();
      expect(await placeOf()).toEqual(place);
    },
  );

  test('a button of the playground keeps the focus when what it changes is drawn anew', async () => {
    await page.locator('#card-ada').focus();
    await page.keyboard.press('Enter');
    await page.locator('#customer-ada', { hasText: 'visa ending in 43' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('card-ada');
  });

  test.each([
    [320, 'dark'],
    [1280, 'light'],
  ] as const)('the playground fits %d pixels in %s mode, without a barrier', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
    const serious = await page.evaluate<
      string[]
    >(`axe.run({ exclude: ['iframe'] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 120))))`);
    expect(serious).toEqual([]);
  });

  test('without script the buttons of the playground work, each by a page', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const reader = await plain.newPage();
    await reader.goto(playground.url);
    await reader.locator('#cancel-dev').click();
    expect(await reader.locator('#customer-dev h3').innerText()).toContain('canceled');
    await plain.close();
  });

  test('the page of the playground runs into no fault, and none of its own rules', () => {
    expect(complaints).toEqual([]);
  });
});
