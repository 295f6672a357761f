/** What a walk through the console does in the browser, and looks at. */
import type { BrowserContext, Page } from 'playwright-core';
import { CONSOLE_STYLE } from '../../../../src/plugin/operator/console/console-style.ts';
import { AXE } from '../../../support/axe-source.ts';

/** The values of the style's colours, first in light, then in dark mode. */
export function colorsOf(mode: 'light' | 'dark'): (name: string) => string {
  const root = [...CONSOLE_STYLE.matchAll(/:root \{[^}]*\}/g)].map(String)[mode === 'light' ? 0 : 1] ?? '';
  return (name) => {
    const color = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(root)?.[1];
    if (color === undefined) throw new Error(`The console has no colour ${name} in ${mode} mode.`);
    return color;
  };
}

/** Rules of axe that read colours. */
export const COLOR_ALONE = { runOnly: ['color-contrast', 'link-in-text-block'] };

export async function expectNoViolation(page: Page, options = {}): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  expect([await page.title(), await listViolations(page, options)]).toEqual([await page.title(), []]);
}

function listViolations(page: Page, options: object): Promise<string[]> {
  return page.evaluate<string[]>(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 120))))`);
}

export const CUSTOMER = { expression: `document.activeElement.matches('dd a[href*="customers/"]')` };

/** What opens the details of the oldest entry. */
export const FAILURE = { expression: `document.activeElement.matches('.timeline li:last-child summary')` };

/** Name of the focused element: a field has its label's. */
export const ACTIVE =
  '(document.activeElement.labels?.[0] ?? document.activeElement).innerText.trim().split("\\n")[0]';

/**
 * Holds the tab key down. `to`: the focused element's name, or an expression that is true once it has the focus. There the
 * key moves nothing any more, so that the page is asked once for ten presses.
 */
export async function tabTo(page: Page, to: string | { readonly expression: string }): Promise<void> {
  const isThere =
    typeof to === 'string'
      ? `document.activeElement.matches('a, button, summary, input') && ${ACTIVE} === ${JSON.stringify(to)}`
      : to.expression;
  await page.evaluate(`window.onkeydown = (press) => press.key !== 'Tab' || !(${isThere})`);
  for (let presses = 0; presses < 150; presses += 10) {
    for (let one = 0; one < 10; one += 1) await page.keyboard.down('Tab');
    await page.keyboard.up('Tab');
    if (await page.evaluate<boolean>(isThere)) return void (await page.evaluate('window.onkeydown = null'));
  }
  throw new Error(`No press of the tab key comes to ${JSON.stringify(to)}.`);
}

/** Texts that are wider than the element they stand in. */
export const CUT_OFF = `[...document.querySelectorAll('main *')]
  .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && !one.closest('svg, .unseen, details:not([open])')
    && getComputedStyle(one).overflowX !== 'auto' && getComputedStyle(one).textOverflow !== 'ellipsis')
  .map((one) => one.outerHTML.slice(0, 120))`;

/** Targets of less than 24 pixels (WCAG 2.5.8); links within a sentence are exempt. */
export const SMALL = `[...document.querySelectorAll('a[href], button, summary')]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== 'inline' && !one.closest('.skip, svg, label') && Math.min(one.offsetHeight, one.offsetWidth) < 24)
  .map((one) => one.outerHTML.slice(0, 120))`;

/** What can be pressed and no key comes to. */
export const NOT_BY_KEYS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, .wide')]
  .filter((one) => one.tabIndex < 0 && one.checkVisibility()).map((one) => one.outerHTML.slice(0, 120))`;

export function toRgb(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return `rgb(${red}, ${green}, ${blue})`;
}

/** A frame without an origin, as the Dashboard's. What its script reads: status and body, or why the browser refused. */
export async function askFromView(
  context: BrowserContext,
  address: string,
  { body, signature }: { readonly body: string; readonly signature: string },
): Promise<string> {
  const own = await context.newPage();
  const heard = own.waitForEvent('console', (message) => /^(null|TypeError)/.test(message.text()));
  const headers = { 'Stripe-Signature': signature, 'Content-Type': 'application/json' };
  const given = JSON.stringify([address, { method: 'POST', headers, body }]);
  const script = `fetch(...${given}).then(async (answer) => console.log(origin, answer.status, await answer.text()), (error) => console.log(String(error)))`;
  await own.evaluate(
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
  await own.close();
  return text;
}
