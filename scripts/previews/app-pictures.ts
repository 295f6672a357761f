/** Draws manifest/pictures, one picture a view, with a Chromium that is found on the machine. */
import { chromium } from 'playwright-core';
import { findChromium } from '../../test/support/find-chromium.ts';

// The SDK's test renderer brings matchers for jest.
Object.assign(globalThis, { expect: { extend: () => undefined } });
process.env.TZ = 'UTC';

const { drawViews }: { drawViews: () => Promise<ReadonlyMap<string, string>> } = await import(
  new URL('../../test/manifest/views/draw.tsx', import.meta.url).href
);
const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
for (const [name, html] of await drawViews()) {
  const page = await browser.newPage({
    viewport: { width: name.endsWith('Module') ? 720 : 420, height: 300 },
  });
  await page.setContent(html);
  await page.screenshot({ path: `manifest/pictures/${name}.png`, fullPage: true });
  await page.close();
}
await browser.close();
