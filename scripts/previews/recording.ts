/**
 * `npm run docs:recording`: the first minute in the playground and a look at the console, as previews/recording.webm for the site of the
 * documentation. The browser that plays it also encodes it: needs a Chromium on this machine and nothing else.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { createPlayground, runPlayground } from '../../src/workbench/playground/playground.ts';
import { findChromium } from '../../test/support/find-chromium.ts';

const SIZE = { width: 1280, height: 800 };
const FILE = resolve('previews/recording.webm');

interface Frame {
  readonly picture: string;
  readonly caption: string;
  readonly ms: number;
}

const executablePath = findChromium();
if (executablePath === undefined) throw new Error('There is no Chromium on this machine to record with.');
const playground = await createPlayground();
const end = runPlayground(playground, (error) => {
  throw error;
});
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const frames = await play(browser);
  mkdirSync(resolve('previews'), { recursive: true });
  writeFileSync(FILE, await encode(browser, frames));
  console.log(`${FILE}: ${frames.length} pictures, ${Math.round(statSync(FILE).size / 1000)} kB.`);
} finally {
  end();
  await browser.close();
  await playground.stop();
}

/** From the first failed renewal to the console. */
async function play(browser: Browser): Promise<Frame[]> {
  const frames: Frame[] = [];
  const context = await browser.newContext({ viewport: SIZE });
  const page = await context.newPage();
  const show = async (on: Page, caption: string, ms = 2500) => {
    const picture = (await on.screenshot()).toString('base64');
    frames.push({ picture, caption, ms });
  };
  /** Marked first, so that one sees what is pressed. */
  const press = async (on: Page, button: Locator, caption: string) => {
    await button.evaluate('(element) => { element.style.outline = "4px solid #d97706"; }');
    await show(on, caption, 1200);
    await button.click();
  };

  await page.goto(playground.url);
  const story = page.locator('#story');
  const next = page.getByRole('button', { name: 'Next event' });
  await show(page, 'A simulated shop: Stripe, its customers and their mailbox, in one process.');
  for (const [seen, caption] of [
    ['failed: insufficient funds', 'A renewal fails: Ada is short of money. Only time helps.'],
    ['failed: card reported lost', 'Ben’s card is lost. No retry can help, so nothing is tried.'],
    ['email sent: please update your card', 'The plugin asks Ben for a new card, once.'],
  ] as const) {
    await press(page, next, 'Time goes on to the next event.');
    await story.getByText(seen).waitFor();
    await show(page, caption);
  }
  const link = page.frameLocator('#email-1 iframe').getByRole('link', { name: 'Update my card' });
  await link.scrollIntoViewIfNeeded();
  await show(page, 'Ben’s email. Its button leads to Stripe’s own page for cards.');
  const [card] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await card.setViewportSize(SIZE);
  await card.locator('button').waitFor();
  await press(card, card.locator('button'), 'One press, so that a mail scanner does nothing.');
  const another = card.getByRole('button', { name: 'mastercard ending in 5451' });
  await another.waitFor();
  await press(card, another, 'Ben gives another card at Stripe.');
  await card.waitForURL(`${playground.url}/payment-retry/card-update/**`);
  await show(card, 'And is thanked.', 1500);
  await card.close();
  await story.getByText('with the new card: paid').waitFor();
  await page.evaluate('window.scrollTo(0, 0)');
  await show(page, 'The new card pays the open invoice at once.');
  while ((await page.locator('#guide li.done').count()) < 4) {
    const lines = await story.locator('li').count();
    await next.click();
    await story.locator('li').nth(lines).waitFor();
    await show(page, 'Ada’s invoice is tried again when money is likely.', 900);
  }
  await page.goto(new URL('payment-retry/console/', `${playground.url}/`).href);
  await show(page, 'The merchant’s console: what failed, what came back, who needs attention.', 3000);
  await page.getByRole('link', { name: 'Invoices' }).first().click();
  await page.locator('main a[href*="invoices/in_"]').first().waitFor();
  await show(page, 'Each failed invoice, with what happens next.');
  await page.locator('main a[href*="invoices/in_"]').first().click();
  await page.waitForLoadState();
  await show(page, 'And its history: every step, with its reason.', 3500);
  await context.close();
  return frames;
}

/** In real time, as the browser's recorder works: each picture is drawn for as long as it is shown. */
async function encode(browser: Browser, frames: readonly Frame[]): Promise<Buffer> {
  const page = await browser.newPage();
  await page.setContent(`<canvas width="${SIZE.width}" height="${SIZE.height}"></canvas>`);
  await page.evaluate(`
    globalThis.canvas = document.querySelector('canvas');
    const stream = canvas.captureStream(0);
    globalThis.track = stream.getVideoTracks()[0];
    globalThis.recorder = new MediaRecorder(stream, { mimeType: 'video/webm;codecs=vp9', videoBitsPerSecond: 2_000_000 });
    globalThis.parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start();
    globalThis.draw = async ({ picture, caption, ms }) => {
      const image = new Image();
      image.src = 'data:image/png;base64,' + picture;
      await image.decode();
      const pen = canvas.getContext('2d');
      pen.drawImage(image, 0, 0);
      pen.fillStyle = 'rgba(17, 24, 39, 0.9)';
      pen.fillRect(0, canvas.height - 56, canvas.width, 56);
      pen.fillStyle = '#fff';
      pen.font = '22px sans-serif';
      pen.textAlign = 'center';
      pen.fillText(caption, canvas.width / 2, canvas.height - 20);
      const end = performance.now() + ms;
      while (performance.now() < end) {
        track.requestFrame();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    globalThis.finish = () => new Promise((resolve) => {
      recorder.onstop = () => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
        reader.readAsDataURL(new Blob(parts));
      };
      recorder.stop();
    });`);
  for (const frame of frames) await page.evaluate(`draw(${JSON.stringify(frame)})`);
  return Buffer.from(await page.evaluate<string>('finish()'), 'base64');
}
