/**
 * Makes stacks name the sources. Stripe's SDK reads a stack for each request, and Node maps and words every frame of it again: a
 * twentieth of a scenario's time. Here each place is looked up and worded once.
 */
import { findSourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** By file, then by place in it. */
const known = new Map();

export function mapStacks() {
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${describe(frame)}`)].join('\n');
}

function describe(frame) {
  const file = frame.getFileName();
  // Those of the engine have no place.
  if (!file) return String(frame);
  if (!known.has(file)) known.set(file, new Map());
  const places = known.get(file);
  // A call and its `await` can be one place.
  const place = frame.getPosition() * 2 + Number(frame.isAsync());
  if (!places.has(place)) places.set(place, toSource(String(frame), file, frame));
  return places.get(place);
}

function toSource(text, file, frame) {
  if (!text.includes(process.env.COMPILED_TESTS)) return text;
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  const entry = findSourceMap(file)?.findEntry(line - 1, column - 1);
  if (!entry?.originalSource) return text;
  const source = fileURLToPath(entry.originalSource);
  return text.replace(
    /file:[^()]*$|file:[^()]*(?=\))/,
    `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`,
  );
}
