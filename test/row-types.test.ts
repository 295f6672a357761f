/** The compiler does not know what a statement returns: a field that no column fills would be undefined without an error. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

interface Field {
  readonly file: string;
  readonly row: string;
  readonly name: string;
}

const INTERFACE = /interface (\w+)(?: extends [^{]+)? \{\n(.*?)\n\}/gs;
const toColumn = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Of the interfaces that queries of the same file return. */
function listFields(file: string, text: string): Field[] {
  const rows = new Set([...text.matchAll(/\.(?:query|find|get)<(\w+)/g)].map(([, name]) => name));
  return [...text.matchAll(INTERFACE)]
    .filter(([, row]) => rows.has(row))
    .flatMap(([, row = '', body = '']) =>
      [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, name = '']) => ({ file, row, name })),
    );
}

/** In a statement; `${name}_amount` stands for any column that ends so. */
function hasColumn(text: string, name: string): boolean {
  const column = toColumn(name);
  const statements = text.replaceAll(INTERFACE, '');
  if (new RegExp(`\\b${column}\\b`).test(statements)) return true;
  const endings = [...statements.matchAll(/as \$\{\w+\}(_\w+)/g)].map(([, ending = '']) => ending);
  return endings.some((ending) => column.endsWith(ending));
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

test('every field of a row is a column of a statement beside it', () => {
  const fields = sources.flatMap(({ path, text }) =>
    listFields(path, text).map((field) => ({ ...field, isFilled: hasColumn(text, field.name) })),
  );
  expect(fields.length).toBeGreaterThan(300);
  expect(fields.filter(({ isFilled }) => !isFilled)).toEqual([]);
});
