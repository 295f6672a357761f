/** What jest gives its tests beside `test` and `expect`. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers';

const shop = { price: (count: number) => count * 5 };

test('jest.fn remembers its calls and answers as it is told', () => {
  const answer = jest.fn((name: string) => `Hello, ${name}`).mockReturnValueOnce('Not yet');
  expect([answer('Ada'), answer('Bo')]).toEqual(['Not yet', 'Hello, Bo']);
  expect(answer).toHaveBeenCalledTimes(2);
  expect(answer).toHaveBeenLastCalledWith('Bo');
});

test('jest.spyOn takes the place of a method until it is restored', () => {
  const spy = jest.spyOn(shop, 'price').mockReturnValue(1);
  expect(shop.price(3)).toBe(1);
  spy.mockRestore();
  expect(shop.price(3)).toBe(15);
});

test('fake timers move by hand, and the real ones come back', () => {
  jest.useFakeTimers({ now: 0 });
  const rings = jest.fn();
  setTimeout(rings, 60_000);
  jest.advanceTimersByTime(59_999);
  expect(rings).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  expect(rings).toHaveBeenCalledTimes(1);
  expect(Date.now()).toBe(60_000);
  jest.useRealTimers();
  expect(setTimeout).toBe(sleep);
  expect(Date.now()).toBeGreaterThan(60_000);
});

test('a stack names the source and its line', () => {
  const [, place = ''] = (new Error('found here').stack ?? '').split('\n');
  expect(place).toMatch(/test\/support\/runner\/jest-functions\.test\.ts:\d+:\d+\)$/);
  const [, line] = /:(\d+):\d+\)$/.exec(place) ?? [];
  const text = readFileSync(new URL(import.meta.url), 'utf8').split('\n')[Number(line) - 1];
  expect(text).toContain("new Error('found here')");
});
