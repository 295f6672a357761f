/** Writes the source maps of the published files: by lines, without the texts of the sources. */
import { readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

const OURS = '../src/';

/**
 * Keeps of a source map one line of ours for each line: of code that is not minified it is the statement's, and columns take a third of
 * the room. The sources are named by their addresses at this version: in the package they would take as much room as the code.
 */
export function writeLineMap(file, text, { version, repository }) {
  const { mappings, sourcesContent: _texts, names: _names, ...map } = JSON.parse(readFileSync(file, 'utf8'));
  const found = new SourceMap({ ...map, mappings });
  const sources = [...new Set(map.sources.filter((path) => path.startsWith(OURS)))];
  let [source, line] = [0, 0];
  const lines = text.split('\n').map((code, at) => {
    const entry = found.findEntry(at, code.search(/\S|$/));
    const index = sources.indexOf(entry.originalSource);
    if (index < 0 || entry.generatedLine !== at) return '';
    const moved = [0, index - source, entry.originalLine - line, 0];
    [source, line] = [index, entry.originalLine];
    return moved.map(toVlq).join('');
  });
  const address = `https://raw.githubusercontent.com$1/v${version}/src/`;
  const sourceRoot = repository.url.replace(/^git\+https:..github.com(.*)\.git$/, address);
  const named = sources.map((path) => path.slice(OURS.length));
  writeFileSync(
    file,
    JSON.stringify({ ...map, sourceRoot, sources: named, names: [], mappings: lines.join(';') }),
  );
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Writes a number as source maps have it: five bits a digit, the lowest first, the sign in the lowest. */
function toVlq(number) {
  let rest = number < 0 ? -2 * number + 1 : 2 * number;
  let text = '';
  do {
    text += DIGITS[(rest & 31) | (rest > 31 ? 32 : 0)];
    rest >>= 5;
  } while (rest > 0);
  return text;
}
