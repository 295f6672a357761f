/**
 * `npm run email:preview [-- --out DIR]`: every email and every state of the card-update page in every language as HTML, text
 * and PNG, with names and amounts that strain the layout. PNGs need a Chromium on this machine.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { previewEmails } from './preview-emails.ts';
import { previewPages } from './preview-pages.ts';

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'previews' }, chromium: { type: 'string' } },
});
const folder = resolve(values.out);

const CHROMIUMS = [
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

const emails = previewEmails();
mkdirSync(folder, { recursive: true });
for (const { name, html, subject, text } of emails) {
  writeFileSync(join(folder, `${name}.html`), html);
  writeFileSync(join(folder, `${name}.txt`), `Subject: ${subject}\n\n${text}`);
}
const pages = previewPages();
for (const { name, html } of pages) writeFileSync(join(folder, `${name}.html`), html);
console.log(`${emails.length} emails and ${pages.length} pages written to ${folder} as HTML and text.`);

const PHONE = { width: 360, height: 640 };

const candidates = values.chromium === undefined ? CHROMIUMS : [values.chromium];
const executablePath = candidates.find((path) => existsSync(path));
if (executablePath) await takePictures(executablePath);
else console.log(`No PNGs: there is no Chromium at ${candidates.join(', ')}. Name one with --chromium PATH.`);

async function takePictures(executablePath: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    for (const { name, html, viewport } of [
      ...emails.map((email) => ({ ...email, viewport: { width: 640, height: 400 } })),
      ...pages.map((page) => ({ ...page, viewport: PHONE })),
    ]) {
      await page.setViewportSize(viewport);
      await page.setContent(html);
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
      if (isTooWide) console.log(`${name} is wider than the window.`);
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    }
  } finally {
    await browser.close();
  }
  console.log(
    `${emails.length + pages.length} PNGs written. Boxes instead of letters: this machine lacks a font (Japanese: fonts-noto-cjk).`,
  );
}
