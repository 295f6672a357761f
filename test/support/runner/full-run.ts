/** What `npm run test:all` does in full and `npm test` in part: more seeds, longer stories, the second engine. */
export const IS_FULL_RUN = process.env.TEST_ALL !== undefined;

/** In place of `test`, for what other tests show in part. */
export function inFull(title: string, tell: () => Promise<void>): void {
  (IS_FULL_RUN ? test : test.skip)(title, tell);
}

const SHARE = 10;
const FEWEST = 6;

/** How often a property is tried. */
export const runs = (all: number): number =>
  IS_FULL_RUN ? all : Math.min(all, Math.max(FEWEST, Math.ceil(all / SHARE)));

/** For cases of which each repeats what the first ones show. */
export const firstOf = <Item>(count: number, all: readonly Item[]): readonly Item[] =>
  IS_FULL_RUN ? all : all.slice(0, count);
