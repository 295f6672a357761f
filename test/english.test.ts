/** Wording of comments and documentation: words and openings that make a reader stop, counted per 10,000 words. */
import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../', import.meta.url);

const COMMENT = /(?<=^|[\s{(])(?:\/\*[\s\S]*?\*\/|\/\/ .*$)/gm;
const DOC_COMMENT = /(?<=^|\s)\/\*\*\s+(?:\* )?(\w+)/g;
const PREPOSITION =
  /^(?:About|Above|After|Against|Among|As|At|Before|Behind|Below|Beside|Besides|Between|By|During|For|From|In|Into|Of|On|Over|Since|Through|To|Under|Until|Upon|With|Within|Without)$/;

/**
 * `goal` is a rate per 10,000 words. Where it is not met yet, `comments` and `docs` are the occurrences that
 * remain: these numbers only go down, lower them with what you rewrite.
 */
const PHRASES = [
  {
    name: 'whoever, whatever, whichever',
    pattern: /\bwh(?:o|at|ich)ever\b/gi,
    goal: 1,
    comments: 61,
    docs: 6,
  },
  {
    name: 'what is, what was, what the',
    pattern: /\bwhat (?:is|was|are|were|the)\b/gi,
    goal: 10,
    comments: 163,
    docs: 38,
  },
  {
    name: 'so many, so long, so often',
    pattern: /\bso (?:many|long|often)\b/gi,
    goal: 1,
    comments: 31,
    docs: 0,
  },
  { name: 'all the same, anew', pattern: /\b(?:all the same|anew)\b/gi, goal: 0, comments: 16, docs: 1 },
  { name: 'beside', pattern: /\bbeside\b/gi, goal: 1, comments: 19, docs: 16 },
  { name: 'told', pattern: /\btold\b/gi, goal: 1, comments: 8, docs: 1 },
  { name: 'made of', pattern: /\bmade of\b/gi, goal: 1, comments: 7, docs: 0 },
  { name: 'at once', pattern: /\bat once\b/gi, goal: 1, comments: 24, docs: 6 },
  { name: 'by itself', pattern: /\bby itself\b/gi, goal: 1, comments: 15, docs: 0 },
  { name: 'stands', pattern: /\bstands\b/gi, goal: 1, comments: 29, docs: 1 },
] as const;

/** Doc comments that begin with a preposition; the goal is none. */
const OPENINGS_LEFT = 253;

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

  test.each(PHRASES)('use "$name" no more than they did', ({ name, pattern, goal, [place]: most }) => {
    const count = countMatches(text, pattern);
    const rate = ((count / words) * 10_000).toFixed(1);
    process.stdout.write(`"${name}" in ${place}: ${count}, ${rate} per 10,000 words, goal ${goal}\n`);
    expect(count).toBeLessThanOrEqual(Math.max(most, Math.floor((goal * words) / 10_000)));
  });
});

test('doc comments begin with a noun or verb', () => {
  const openings = sources.flatMap((text) => [...text.matchAll(DOC_COMMENT)].map(([, word = '']) => word));
  const prepositional = openings.filter((word) => PREPOSITION.test(word));
  process.stdout.write(`Doc comments that begin with a preposition: ${prepositional.length}, goal 0\n`);
  expect(openings.length).toBeGreaterThan(2_000);
  expect(prepositional.length).toBeLessThanOrEqual(OPENINGS_LEFT);
});
