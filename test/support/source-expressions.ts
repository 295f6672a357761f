import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Expression, Node } from 'typescript-6';

// The newest has no parser for programs. `import` would look through nine megabytes for names.
const ts: typeof import('typescript-6') = createRequire(import.meta.url)('typescript-6');
const SRC = fileURLToPath(new URL('../../src', import.meta.url));
/** What stands for a value that is put into one that is made of a text. */
const PUT_IN = '9';

export interface SourceExpression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression of the sources: those written as such, and those that `new RegExp` makes. */
export function listExpressions(): SourceExpression[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => findExpressions(path, readFileSync(join(SRC, path), 'utf8')));
}

function findExpressions(path: string, text: string): SourceExpression[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: SourceExpression[] = [];
  const visit = (node: Node): void => {
    const place = `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ place, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [source, flags] = node.arguments ?? [];
      found.push({ place, source: readTemplate(source), flags: flags ? readTemplate(flags) : '' });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function readTemplate(node: Expression | undefined): string {
  if (node !== undefined && ts.isStringLiteralLike(node)) return node.text;
  if (node === undefined || !ts.isTemplateExpression(node))
    throw new Error(`Nothing can be tried of RegExp(${node?.getText() ?? ''}).`);
  return node.head.text + node.templateSpans.map(({ literal }) => PUT_IN + literal.text).join('');
}
