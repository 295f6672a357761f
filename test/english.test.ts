/** Wording of comments and documentation: words and openings that make a reader stop, counted per 10,000 words. */
import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../', import.meta.url);

const COMMENT = /(?<=^|[\s{(])(?:\/\*[\s\S]*?\*\/|\/\/ .*$)/gm;
const DOC_COMMENT = /(?<=^|\s)\/\*\*\s+(?:\* )?(\w+)/g;
const PREPOSITION =
  /^(?:About|Above|After|Against|Among|As|At|Before|Behind|Below|Beside|Besides|Between|By|During|For|From|In|Into|Of|On|Over|Since|Through|To|Under|Until|Upon|With|Within|Without)$/;

/** The most occurrences per 10,000 words. */
const PHRASES = [
  { name: 'whoever, whatever, whichever', pattern: /\bwh(?:o|at|ich)ever\b/gi, most: 1 },
  { name: 'what is, what was, what the', pattern: /\bwhat (?:is|was|are|were|the)\b/gi, most: 10 },
  { name: 'so many, so long, so often', pattern: /\bso (?:many|long|often)\b/gi, most: 1 },
  { name: 'all the same, anew', pattern: /\b(?:all the same|anew)\b/gi, most: 0 },
  { name: 'beside', pattern: /\bbeside\b/gi, most: 1 },
  { name: 'told', pattern: /\btold\b/gi, most: 1 },
  { name: 'made of', pattern: /\bmade of\b/gi, most: 1 },
  { name: 'at once', pattern: /\bat once\b/gi, most: 1 },
  { name: 'by itself', pattern: /\bby itself\b/gi, most: 1 },
  { name: 'stands', pattern: /\bstands\b/gi, most: 1 },
] as const;

function readFolder(folder: string, ending: RegExp): string[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => readFileSync(new URL(`${folder}${path}`, ROOT), 'utf8'));
}

const sources = readFolder('src/', /\.tsx?$/);

const TEXTS = {
  comments: sources.map((text) => (text.match(COMMENT) ?? []).join('\n').replace(/^\s*\*/gm, '')).join('\n'),
  docs: readFolder('docs/', /\.md$/)
    .map((text) => text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]*`/g, 'code'))
    .join('\n'),
};

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function countWords(text: string): number {
  return countMatches(text, /[A-Za-z][\w'-]*/g);
}

describe.each(['comments', 'docs'] as const)('%s', (place) => {
  const text = TEXTS[place].replace(/\s+/g, ' ');
  const words = countWords(text);

  test('are found', () => {
    expect(words).toBeGreaterThan(10_000);
  });

  test.each(PHRASES)('use "$name" at most $most times in 10,000 words', ({ pattern, most }) => {
    expect((countMatches(text, pattern) / words) * 10_000).toBeLessThanOrEqual(most);
  });
});

test('doc comments begin with a noun or verb', () => {
  const openings = sources.flatMap((text) => [...text.matchAll(DOC_COMMENT)].map(([, word = '']) => word));
  const prepositional = openings.filter((word) => PREPOSITION.test(word));
  expect(openings.length).toBeGreaterThan(2_000);
  expect(prepositional).toEqual([]);
});
