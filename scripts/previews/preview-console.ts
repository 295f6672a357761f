/**
 * `npm run console:preview [-- --out DIR]`: every page of the console from the demo's world as PNG, light and dark, on a desk and on a phone. Needs
 * a Chromium on this machine.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { CustomerWorld } from '../../src/workbench/customers/customer-world.ts';
import { runDemo } from '../../src/workbench/demo/run-demo.ts';
import { findChromium } from '../../test/support/find-chromium.ts';

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'previews' }, chromium: { type: 'string' } },
});
const folder = resolve(values.out);

const LOOKS = [
  { name: 'light', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'dark', width: 1280, height: 800, colorScheme: 'dark' },
  { name: 'phone', width: 390, height: 844, colorScheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, colorScheme: 'dark' },
] as const;

const executablePath = values.chromium ?? findChromium();
if (executablePath === undefined)
  console.log('There is no Chromium on this machine. Name one with --chromium PATH.');
else await runDemo({ write: () => {}, beforeBalance: (world) => takePictures(world, executablePath) });

async function takePictures(
  { console: { url, user, password } }: CustomerWorld,
  executablePath: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    for (const look of LOOKS) await takeLook(browser, look, { url, user, password });
  } finally {
    await browser.close();
  }
}

async function takeLook(
  browser: Browser,
  look: (typeof LOOKS)[number],
  console: CustomerWorld['console'],
): Promise<void> {
  const { name, width, height, colorScheme } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    timezoneId: 'Europe/Berlin',
  });
  const page = await context.newPage();
  await page.goto(`${console.url}/login`);
  await page.screenshot({ path: join(folder, `console.sign-in.${name}.png`), fullPage: true });
  if (await page.$('input#username')) await page.fill('#username', console.user);
  await page.fill('#password', console.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('header');
  const links = await page.$$eval('header nav a', (all) =>
    all.map((link) => (link as HTMLAnchorElement).href),
  );
  for (const link of [...links, `${console.url}/email-outcomes`]) await takePage(page, link, name);
  for (const list of ['invoices', 'customers', 'emails']) {
    await page.goto(`${console.url}/${list}`);
    const first = await page.$$eval(
      `main a[href*="${list}/"]`,
      (all) => (all[0] as HTMLAnchorElement | undefined)?.href,
    );
    if (first !== undefined) await takePage(page, first, name, list.slice(0, -1));
  }
  await context.close();
}

async function takePage(page: Page, link: string, look: string, name?: string): Promise<void> {
  await page.goto(link);
  const place =
    name ?? (new URL(link).pathname.replace(/^\/console\/?/, '').replaceAll('/', '.') || 'overview');
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
  if (isTooWide) console.log(`${place} is wider than the window (${look}).`);
  await page.screenshot({ path: join(folder, `console.${place}.${look}.png`), fullPage: true });
}
