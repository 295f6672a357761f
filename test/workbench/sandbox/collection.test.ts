import fc from 'fast-check';
import { createCollection } from '../../../src/workbench/sandbox/collection.ts';
import { createDueQueue } from '../../../src/workbench/sandbox/due-queue.ts';

interface Item {
  id: string;
  owner: string;
}

const items = fc
  .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 })
  .map((owners) => owners.map((owner, index): Item => ({ id: `item_${index}`, owner })));

function collectionOf(all: Item[]) {
  const collection = createCollection({ owner: (item: Item) => item.owner });
  for (const item of all) collection.add(item);
  return collection;
}

describe('a collection', () => {
  it('a sandbox collection gives every item once when paged to the end, newest first', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 7 }), fc.boolean(), (all, limit, isFiltered) => {
        const collection = collectionOf(all);
        const within = isFiltered ? { index: 'owner' as const, key: 'a' } : undefined;
        const found: string[] = [];
        for (let startingAfter: string | undefined, hasMore = true; hasMore; ) {
          const page = collection.page({ within, startingAfter, limit, matches: () => true });
          found.push(...page.data.map(({ id }) => id));
          startingAfter = page.data.at(-1)?.id;
          hasMore = page.hasMore;
        }
        const expected = all.filter(({ owner }) => !isFiltered || owner === 'a').reverse();
        expect(found).toEqual(expected.map(({ id }) => id));
      }),
    );
  });

  it('a sandbox collection goes back from a cursor to the items just newer', () => {
    fc.assert(
      fc.property(items, fc.nat(), fc.integer({ min: 1, max: 7 }), (all, choice, limit) => {
        fc.pre(all.length > 0);
        const cursor = choice % all.length;
        const page = collectionOf(all).page({ endingBefore: `item_${cursor}`, limit, matches: () => true });
        const newer = all.slice(cursor + 1, cursor + 1 + limit).reverse();
        expect(page).toEqual({ data: newer, hasMore: cursor + 1 + limit < all.length });
      }),
    );
  });

  it('a sandbox collection still takes a removed item as a cursor', () => {
    const collection = collectionOf(['a', 'b', 'c'].map((owner, index) => ({ id: `item_${index}`, owner })));
    collection.remove('item_1');
    expect(collection.get('item_1')).toBeUndefined();
    const page = collection.page({ startingAfter: 'item_1', limit: 5, matches: () => true });
    expect(page.data.map(({ id }) => id)).toEqual(['item_0']);
  });
});

describe('the due queue', () => {
  it("the sandbox's due queue gives what is due in order of time, and of arrival within an instant", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 })), fc.nat({ max: 9 }), (times, now) => {
        const queue = createDueQueue();
        const done: { atMs: number; index: number }[] = [];
        for (const [index, atMs] of times.entries()) {
          queue.add({ atMs, isCurrent: () => true, run: () => done.push({ atMs, index }) });
        }
        for (let task = queue.takeDue(now); task !== undefined; task = queue.takeDue(now)) task.run();
        const expected = times.map((atMs, index) => ({ atMs, index })).filter(({ atMs }) => atMs <= now);
        expect(done).toEqual(expected.sort((a, b) => a.atMs - b.atMs || a.index - b.index));
        const later = times.filter((atMs) => atMs > now);
        expect(queue.nextAtMs()).toBe(later.length === 0 ? undefined : Math.min(...later));
      }),
    );
  });

  it("the sandbox's due queue passes over what events overtook", () => {
    const queue = createDueQueue();
    let isOpen = true;
    queue.add({ atMs: 1, isCurrent: () => isOpen, run: () => {} });
    queue.add({ atMs: 2, isCurrent: () => true, run: () => {} });
    expect(queue.nextAtMs()).toBe(1);
    isOpen = false;
    expect(queue.nextAtMs()).toBe(2);
    expect(queue.takeDue(1)).toBeUndefined();
  });
});
