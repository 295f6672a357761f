import fc from 'fast-check';
import { renderToString } from 'preact-render-to-string';
import { type Interval, IntervalPlot } from '../../../../src/plugin/operator/console/interval-plot.tsx';

const draw = (shown: Interval) => renderToString(IntervalPlot(shown));

const points = fc.integer({ min: -1000, max: 1000 }).map((tenths) => tenths / 10);
const interval = fc
  .tuple(points, points, points)
  .map((three) => three.sort((a, b) => a - b))
  .map(([low = 0, middle = 0, high = 0]) => ({ low, points: middle, high }));

const placesIn = (markup: string, pattern: RegExp) =>
  [...markup.matchAll(pattern)].map(([, at]) => Number(at));

test('everything lies within the picture, in its order, around a line at zero', () => {
  fc.assert(
    fc.property(interval, (shown) => {
      const markup = draw(shown);
      const all = placesIn(markup, /(?:x|x1|x2|cx)="([^"%]+)%"/g);
      expect(Math.min(...all)).toBeGreaterThanOrEqual(5);
      expect(Math.max(...all)).toBeLessThanOrEqual(95);
      const [low = 0, high = 0] = placesIn(markup, /class="interval" x1="([^%]+)%"/g);
      const [estimate = 0] = placesIn(markup, /cx="([^%]+)%"/g);
      expect(low).toBeLessThanOrEqual(estimate);
      const [, right = 0] = /class="interval" x1="[^%]+%" x2="([^%]+)%"/.exec(markup)?.map(Number) ?? [];
      expect(estimate).toBeLessThanOrEqual(right);
      expect(high).toBe(low);
      const [zero = 0] = placesIn(markup, /class="zero" x1="([^%]+)%"/g);
      expect(Math.sign(estimate - zero)).toBe(Math.sign(shown.points));
    }),
  );
});

test('the axis has few, round numbers, zero among them', () => {
  fc.assert(
    fc.property(interval, (shown) => {
      const ticks = [...draw(shown).matchAll(/y="89">([^<]+)</g)].map(([, text]) => text);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks).toContain('0');
      for (const tick of ticks) expect(tick).toMatch(/^(0|[+−]\d+(\.\d{1,2})?)$/);
    }),
  );
});

test('it is told in words to those who do not see it', () => {
  expect(draw({ points: 16.7, low: -6.5, high: 26.7 })).toContain(
    'role="img" aria-label="Difference +16.7 percentage points, 95 % interval −6.5 to +26.7"',
  );
});
