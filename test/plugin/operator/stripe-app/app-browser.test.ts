/** A real browser, in a frame without an origin as the Dashboard's: what it lets a view ask, and read of the answer. */
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../../support/find-chromium.ts';
import { type AppHarness, bodyOf, sign, startApp } from './app-harness.ts';

const executablePath = findChromium();
const describeInBrowser = executablePath ? describe : describe.skip;

describeInBrowser('in Chromium', () => {
  let app: AppHarness;
  let browser: Browser;
  beforeAll(async () => {
    app = await startApp();
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.stop();
  });

  /** What the view's script reads: status and body, or why the browser refused. */
  async function askFromView(body: string, signature: string): Promise<string> {
    const page = await browser.newPage();
    const heard = page.waitForEvent('console', (message) => /^(null|TypeError)/.test(message.text()));
    const headers = { 'Stripe-Signature': signature, 'Content-Type': 'application/json' };
    const given = JSON.stringify([`${app.url}/app/request`, { method: 'POST', headers, body }]);
    const script = `fetch(...${given}).then(async (answer) => console.log(origin, answer.status, await answer.text()), (error) => console.log(String(error)))`;
    await page.evaluate(
      (text) => {
        document.body.innerHTML = '';
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', 'allow-scripts');
        frame.srcdoc = `<script>${text}</script>`;
        document.body.append(frame);
      },
      script.replaceAll('</', '<\\/'),
    );
    const text = (await heard).text();
    await page.close();
    return text;
  }

  test('a view reads the answer, and also why it was refused', async () => {
    const body = bodyOf();
    expect(await askFromView(body, sign(body))).toBe(
      'null 200 {"success":true,"answer":{"id":"in_1","isKnown":false}}',
    );
    expect(await askFromView(body, 't=1,v1=x')).toContain('SIGNATURE_INVALID');
  });
});
