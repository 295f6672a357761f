/**
 * Makes stacks name the sources. Stripe's SDK reads a stack for each request, and Node maps every frame of it again: a twentieth of a
 * scenario's time. Here each place is looked up once.
 */
import { findSourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const known = new Map();

export function mapStacks() {
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${describe(frame)}`)].join('\n');
}

function describe(frame) {
  const text = String(frame);
  if (!text.includes(process.env.COMPILED_TESTS)) return text;
  if (!known.has(text)) known.set(text, toSource(text, frame));
  return known.get(text);
}

function toSource(text, frame) {
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  const entry = findSourceMap(frame.getFileName())?.findEntry(line - 1, column - 1);
  if (!entry?.originalSource) return text;
  const source = fileURLToPath(entry.originalSource);
  return text.replace(
    /file:[^()]*$|file:[^()]*(?=\))/,
    `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`,
  );
}
