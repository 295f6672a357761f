/** The public surface: an added, renamed or removed name shows in `scripts/docs/surface.json`. */
import { readFileSync } from 'node:fs';
import { readSurface, renderSurface, SURFACE_FILE } from '../scripts/docs/render-surface.ts';

test('each export, option, event, command and setting is listed with its version (npm run docs:surface)', async () => {
  expect(await renderSurface(readSurface())).toBe(readFileSync(SURFACE_FILE, 'utf8'));
});

test('a name keeps its version, a new one gets the present one, and a removed one is gone', async () => {
  const { events = {}, ...others } = readSurface();
  const { recovered: _, ...rest } = events;
  const before = { ...others, events: { ...rest, gaveUp: '0.0.1', vanished: '0.0.1' } };
  const { events: after } = JSON.parse(await renderSurface(before));
  expect(after).toEqual({ ...events, gaveUp: '0.0.1' });
});

test('the surface stays small', () => {
  const { settings = {}, commands = {} } = readSurface();
  expect(Object.keys(settings).length).toBeLessThanOrEqual(77);
  expect(Object.keys(commands).length).toBeGreaterThan(20);
});
