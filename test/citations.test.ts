/** What the code rests on stands in docs/stripe-facts.md: every citation leads there, and every section to its sources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REPOSITORY } from '../scripts/site/pages.ts';
import { DECLINES } from '../src/core/declines/find-decline.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FACTS = 'docs/stripe-facts.md';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const facts = read(FACTS);
const sections = facts
  .split('\n### ')
  .slice(1)
  .map((section) => ({ number: section.split(' ', 1)[0] ?? '', text: section }));
const numbers = sections.map(({ number }) => number);

/** Where sections are cited; this file apart, which has the patterns. */
const files = ['src', 'test', 'scripts', 'docs']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  .filter(
    (path) =>
      /\.(tsx?|js|sql|md)$/.test(path) && path !== 'test/citations.test.ts' && !path.includes('node_modules'),
  )
  .concat('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md');

/** `stripe-facts 5.4`, `stripe-facts 5.4, 6.5`, `stripe-facts 5.5 to 5.8, 5.10`; the first group is the numbers. */
const CITATION = /stripe-facts (\d[\d.]*(?:(?:, | and | to )\d+\.\d+)*)/g;

const cited = files.flatMap((path) =>
  [...read(path).matchAll(CITATION)].flatMap(([, named = '']) =>
    named
      .replace(/\.$/, '')
      .split(/, | and /)
      .flatMap(expand)
      .map((number) => ({ path, number })),
  ),
);

/** `5.5 to 5.8` names the sections between, too. */
function expand(range: string): string[] {
  const [from = '', to = from] = range.split(' to ');
  const ends = [numbers.indexOf(from), numbers.indexOf(to)];
  return ends.includes(-1) ? [from, to] : numbers.slice(ends[0], (ends[1] ?? 0) + 1);
}

/** As GitHub makes it of a heading. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('a citation', () => {
  it('a citation names sections that are there', () => {
    expect(cited.length).toBeGreaterThan(100);
    expect(cited.filter(({ number }) => !numbers.includes(number))).toEqual([]);
  });

  it('a citation stands beside every decline code', () => {
    const named = DECLINES.flatMap(({ source }) => source.split(', '));
    expect(named.filter((number) => !numbers.includes(number))).toEqual([]);
  });
});

/** Pages of the package link by full address, because they stand alone there. */
function withRelativeLinks(path: string): string {
  return read(path).replaceAll(`${REPOSITORY}/blob/main/`, '../'.repeat(path.split('/').length - 1));
}

it('every link between documents leads to a heading that is there', () => {
  const pages = files.filter((path) => path.endsWith('.md'));
  const broken = pages.flatMap((path) =>
    [...withRelativeLinks(path).matchAll(/\]\(([\w./-]+\.md)?(?:#([\w-]+))?\)/g)]
      .filter(([, page, anchor]) => {
        const target = page === undefined ? path : join(dirname(path), page);
        if (!existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
      })
      .map(([link]) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});
