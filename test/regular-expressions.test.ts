/** No text makes a regular expression of ours read it again from each of its characters. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { firstOf } from './support/runner/full-run.ts';
import { listExpressions, type SourceExpression } from './support/source-expressions.ts';

/** Read once, it takes a fraction of a millisecond; read from each of its characters, five thousand million steps. */
const LENGTH = 100_000;
/** For all texts that one expression is tried on, also on a busy machine. */
const PATIENCE_MS = 2_500;
/** For one that is known to take far longer: until then it takes a core. */
const LITTLE_PATIENCE_MS = 300;

/** A text is `lead`, `pump` for LENGTH characters, and what no expression asks for at its end. */
type Hostile = readonly [lead: string, pump: string];

const TRY = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ source, flags, texts }) => {
    const expression = new RegExp(source, flags.replace(/[gy]/g, ''));
    for (const [lead, pump] of texts) expression.test(lead + pump.repeat(${LENGTH} / pump.length) + '\\n\\0');
    parentPort.postMessage('tried');
  });`;

/** In a thread of its own, because nothing but its end interrupts one that is too slow. */
function createTrial() {
  let worker = new Worker(TRY, { eval: true });
  const ask = (task: object, signal?: AbortSignal) => {
    worker.postMessage(task);
    return once(worker, 'message', { signal });
  };
  return {
    isLinear: async (expression: SourceExpression, patienceMs = PATIENCE_MS): Promise<boolean> => {
      // The start of the thread is no part of what it takes.
      await ask({ source: '', flags: '', texts: [] });
      try {
        await ask({ ...expression, texts: listHostile(expression) }, AbortSignal.timeout(patienceMs));
        return true;
      } catch {
        await worker.terminate();
        worker = new Worker(TRY, { eval: true });
        return false;
      }
    },
    end: () => worker.terminate(),
  };
}

/** Of a text that fits: one of its parts many times, with what comes before it and without. */
function listHostile({ source }: SourceExpression): Hostile[] {
  const texts = new Map<string, Hostile>();
  for (const atoms of source.split(/(?<!\\)\|/).map(listAtoms))
    for (const at of atoms.keys()) {
      const before = atoms.slice(0, at).join('');
      const pumps = [atoms.slice(at, at + 1), atoms.slice(at, at + 2), atoms.slice(0, at + 1)];
      for (const pump of new Set(pumps.map((parts) => parts.join(''))))
        for (const lead of ['', before]) texts.set(`${lead} ${pump}`, [lead, pump]);
    }
  return [...texts.values()];
}

/** Syntax that stands for no character. */
const SYNTAX = /\(\?(?:[:=!]|<[=!]|<\w+>)|[()^$*+?]|\{\d*,?\d*\}|\\[bB1-9]/y;
const CLASS = /\[(\^?)((?:\\.|[^\]\\])*)\]/y;
const ESCAPE = /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|p\{\w+\}|P\{\w+\}|.)/iy;
const MEMBERS: Readonly<Record<string, string>> = {
  d: '0',
  w: 'a',
  s: ' ',
  S: 'x',
  D: 'x',
  W: ' ',
  n: '\n',
  r: '\r',
  t: '\t',
  p: '\u0085',
  P: 'x',
};

/** One character for each that the expression asks for, in its order; of a class the first member. */
function listAtoms(source: string): string[] {
  const atoms: string[] = [];
  for (let at = 0; at < source.length; ) {
    const take = (form: RegExp) => {
      form.lastIndex = at;
      const found = form.exec(source);
      if (found) at += found[0].length;
      return found;
    };
    if (take(SYNTAX)) continue;
    const [, isOthers, members = ''] = take(CLASS) ?? [];
    if (isOthers !== undefined) atoms.push(isOthers === '^' ? 'x' : (listAtoms(members)[0] ?? 'x'));
    else {
      const escaped = take(ESCAPE);
      const character = source[at] ?? '';
      if (!escaped) at += 1;
      atoms.push(escaped ? readEscape(escaped) : character === '.' ? 'x' : character);
    }
  }
  return atoms;
}

function readEscape([text, unicode, byte]: RegExpExecArray): string {
  const code = unicode ?? byte;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  const name = text[1] ?? '';
  return MEMBERS[name] ?? name;
}

/** Without one an expression looks at a few characters from each, however long the text is. */
const REPEATS = /[*+]|\{\d*,?\d*\}/;

const trial = createTrial();
afterAll(() => trial.end());

test('every regular expression reads a long text once', async () => {
  const expressions = listExpressions();
  expect(expressions.length).toBeGreaterThan(150);
  const slow: SourceExpression[] = [];
  for (const expression of expressions.filter(({ source }) => REPEATS.test(source)))
    if (!(await trial.isLinear(expression))) slow.push(expression);
  expect(slow).toEqual([]);
});

test.each(firstOf(1, [String.raw`\S*card-update\/\S*`, String.raw`^(\w+) +(.*)$`]))(
  '%s is found to read a long text from each of its characters',
  async (source) => {
    expect(await trial.isLinear({ place: '', source, flags: '' }, LITTLE_PATIENCE_MS)).toBe(false);
  },
);
