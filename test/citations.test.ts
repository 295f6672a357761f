/** What the code rests on stands in docs/stripe-facts.md: every citation leads there, and every section to its sources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

  it('a citation has one form, on one line, and means no document that is not here', () => {
    const OTHER = [
      /(?<!stripe-)\bfacts (?:\d|timing)|\(facts |facts\/[a-z]/i,
      /stripe-facts$|stripe-facts [\d., toand]*(?:,| to| and)$/m,
      /field[ -]notes|service-interface|\bDESIGN\b/i,
    ];
    expect(files.filter((path) => OTHER.some((form) => form.test(read(path))))).toEqual([]);
  });

  it('a citation stands beside every decline code', () => {
    const named = DECLINES.flatMap(({ source }) => source.split(', '));
    expect(named.filter((number) => !numbers.includes(number))).toEqual([]);
  });
});

describe('docs/stripe-facts.md', () => {
  const definitions = new Map(
    [...facts.matchAll(/^\[([a-z0-9-]+)\]: (https:\/\/\S+)$/gm)].map(([, name, address]) => [name, address]),
  );

  it.each(sections)(
    'section $number of docs/stripe-facts.md names its sources, each with a date',
    ({ text }) => {
      const sources = /^Source: ([\s\S]*?)\.\n(?=1\. |\n)/m.exec(text)?.[1]?.split(';') ?? [];
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) {
        const links = [...source.matchAll(/\[[^\]]+\](?:\[([^\]]+)\]|\((\S+)\))/g)];
        expect([source, links.length]).not.toEqual([source, 0]);
        for (const [, name, address = definitions.get(name)] of links)
          expect([source, address]).toEqual([source, expect.stringMatching(/^https:\/\/|^[\w./-]+\.md/)]);
        const date = /\b(?:19|20)\d\d\b/.exec(links.reduce((rest, [link]) => rest.replace(link, ''), source));
        expect([source, date]).not.toEqual([source, null]);
      }
    },
  );

  it('docs/stripe-facts.md is cited section by section', () => {
    const inUse = new Set(cited.filter(({ path }) => path !== FACTS).map(({ number }) => number));
    expect(numbers.filter((number) => !inUse.has(number))).toEqual([]);
  });

  it('the section numbers of docs/stripe-facts.md count upwards', () => {
    const rank = (number: string) => number.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => rank(one) - rank(other)));
  });

  it('docs/stripe-facts.md has no source that nothing names', () => {
    expect([...definitions.keys()].filter((name) => !facts.includes(`][${name}]`))).toEqual([]);
  });
});

it('every link between documents leads to a heading that is there', () => {
  const pages = files.filter((path) => path.endsWith('.md'));
  const broken = pages.flatMap((path) =>
    [...read(path).matchAll(/\]\(([\w./-]+\.md)?(?:#([\w-]+))?\)/g)]
      .filter(([, page, anchor]) => {
        const target = page === undefined ? path : join(dirname(path), page);
        if (!existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
      })
      .map(([link]) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});
