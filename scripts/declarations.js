/**
 * Declarations of what applications load, one file an entry, made from the types themselves: what our sources derive from schemas and
 * tables is written out, and nothing of another package is named. Throws where something is.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve, sep } from 'node:path';

// TypeScript 7 has no API for other programs. `import` would look through nine megabytes for names.
const ts = createRequire(import.meta.url)('typescript-6');
const SOURCES = resolve('src') + sep;
const { TypeFlags, ObjectFlags, SymbolFlags } = ts;

writeDeclarations(...process.argv.slice(2));

/** Writes `index.d.ts` and the like; a later entry imports from the first what that exports. */
function writeDeclarations(folder, ...entries) {
  const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const files = entries.map((name) => join('src', `${name}.ts`));
  const program = ts.createProgram(files, { ...options, noEmit: true }, readingOurComments(options));
  const checker = program.getTypeChecker();
  const shared = new Map();
  for (const [index, entry] of entries.entries()) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(files[index]));
    const exported = checker.getExportsOfModule(module).map((symbol) => [symbol.name, original(symbol)]);
    const text = createWriter(checker, exported, shared).write();
    writeFileSync(join(folder, `${entry}.d.ts`), text);
    if (index === 0) for (const [name, symbol] of exported) shared.set(symbol, name);
  }

  function original(symbol) {
    return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }
}

/** Those of other packages, which are most of what there is to read, count for nothing. */
function readingOurComments(options) {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  const withoutComments = { jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  host.getSourceFile = (path, target, ...rest) =>
    read(path, path.includes('/node_modules/') ? { ...target, ...withoutComments } : target, ...rest);
  return host;
}

function createWriter(checker, exported, shared) {
  const names = new Map(exported.map(([name, symbol]) => [symbol, name]));
  const isExported = new Set(exported.map(([, symbol]) => symbol));
  const waiting = exported.map(([, symbol]) => symbol).filter((symbol) => !shared.has(symbol));
  const imports = new Map();
  // What is derived from a schema that others contain has no name there.
  const aliases = [...isExported, ...shared.keys()]
    .filter(({ flags }) => flags & SymbolFlags.TypeAlias)
    .map((symbol) => [checker.getDeclaredTypeOfSymbol(symbol), symbol]);

  return { write };

  function write() {
    const parts = [];
    for (const symbol of waiting) parts.push(declare(symbol));
    const lines = [...imports].map(
      ([from, what]) => `import type { ${[...what].sort().join(', ')} } from '${from}';\n`,
    );
    return `${lines.join('')}${parts.join('\n')}\nexport {};\n`;
  }

  function fail(what, place) {
    throw new Error(
      `A declaration would name ${what}${place ? ` (${place.getSourceFile().fileName})` : ''}.`,
    );
  }

  /** The name that stands for it; it is declared, too, or imported. */
  function nameOf(symbol) {
    const given = shared.get(symbol);
    if (given !== undefined) return importOf('./index.js', given);
    if (!names.has(symbol)) {
      const { name } = symbol;
      if ([...names.values()].includes(name)) fail(`two things ${name}`, symbol.declarations[0]);
      names.set(symbol, name);
      waiting.push(symbol);
    }
    return names.get(symbol);
  }

  function importOf(from, name) {
    imports.set(from, (imports.get(from) ?? new Set()).add(name));
    return name;
  }

  function declare(symbol) {
    const [declaration] = symbol.declarations;
    const head = docs(symbol, '') + (isExported.has(symbol) ? 'export ' : '');
    const name = names.get(symbol);
    const parameters = declaration.typeParameters ?? [];
    const generic = typeParameters(parameters.map((one) => checker.getTypeAtLocation(one)));
    if (ts.isClassDeclaration(declaration)) return `${head}declare class ${name}${body(symbol)}\n`;
    if (ts.isInterfaceDeclaration(declaration)) return `${head}interface ${name}${generic}${body(symbol)}\n`;
    if (ts.isTypeAliasDeclaration(declaration))
      return `${head}type ${name}${generic} = ${spell(checker.getDeclaredTypeOfSymbol(symbol), '', { declared: symbol })};\n`;
    const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
    if (ts.isFunctionDeclaration(declaration))
      return type
        .getCallSignatures()
        .map((signature) => `${head}declare function ${name}${call(signature, '', ': ')};\n`)
        .join('');
    return `${head}declare const ${name}: ${spell(type, '')};\n`;
  }

  /** Of a class or an interface. */
  function body(symbol) {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const above = checker
      .getBaseTypes(type)
      .filter((one) => one.symbol?.flags & (SymbolFlags.Interface | SymbolFlags.Class) && !one.aliasSymbol);
    const inherited = new Set(
      above.flatMap((one) => checker.getPropertiesOfType(one)).map(({ name }) => name),
    );
    const isOwn = (one) => !inherited.has(one.name) || one.parent === symbol;
    const made =
      symbol.flags & SymbolFlags.Class ? checker.getTypeOfSymbol(symbol).getConstructSignatures() : [];
    const parts = [...made.map((signature) => `  constructor${call(signature, '  ', undefined)};\n`)];
    const bases = above.map((one) => spell(one, '')).join(', ');
    return `${bases === '' ? '' : ` extends ${bases}`} ${members(type, '', isOwn, parts)}`;
  }

  function docs(symbol, indent) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    if (text === '') return '';
    const lines = text.split('\n');
    if (lines.length === 1) return `${indent}/** ${text} */\n`;
    return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
  }

  /** What it has, whatever it was made from. */
  function members(type, indent, isOwn = () => true, first = []) {
    const inner = `${indent}  `;
    const calls = type.getCallSignatures().map((signature) => `${inner}${call(signature, inner, ': ')};\n`);
    const indexes = checker
      .getIndexInfosOfType(type)
      .map(
        ({ keyType, type: value, isReadonly }) =>
          `${inner}${isReadonly ? 'readonly ' : ''}[field: ${spell(keyType, inner)}]: ${spell(value, inner)};\n`,
      );
    const own = checker
      .getPropertiesOfType(type)
      .filter(isOwn)
      .map((one) => member(one, inner));
    const all = [...first, ...calls, ...indexes, ...own];
    return all.length === 0 ? '{}' : `{\n${all.join('')}${indent}}`;
  }

  function member(symbol, indent) {
    const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0;
    const type = checker.getTypeOfSymbol(symbol);
    const mark = isOptional ? '?' : '';
    const name = /^[\w$]+$/.test(symbol.name) ? symbol.name : `'${symbol.name}'`;
    const head = `${docs(symbol, indent)}${indent}`;
    const calls = type.getCallSignatures();
    if (symbol.flags & SymbolFlags.Method && calls.length > 0)
      return calls.map((signature) => `${head}${name}${mark}${call(signature, indent, ': ')};\n`).join('');
    const isReadonly = ts.getCheckFlags(symbol) & ts.CheckFlags.Readonly;
    const modifiers = symbol.valueDeclaration
      ? ts.getCombinedModifierFlags(symbol.valueDeclaration)
      : ts.ModifierFlags.None;
    const fixed = isReadonly || modifiers & ts.ModifierFlags.Readonly ? 'readonly ' : '';
    return `${head}${fixed}${name}${mark}: ${spell(type, indent, { isOptional })};\n`;
  }

  function typeParameters(list) {
    if (list.length === 0) return '';
    const one = (parameter) => {
      const bound = checker.getBaseConstraintOfType(parameter);
      const written = parameter.symbol.declarations[0].constraint;
      const limit = written ? checker.getTypeFromTypeNode(written) : bound;
      return `${parameter.symbol.name}${written ? ` extends ${spell(limit, '')}` : ''}`;
    };
    return `<${list.map(one).join(', ')}>`;
  }

  function call(signature, indent, arrow) {
    const parameters = signature.parameters.flatMap((symbol) => parameter(symbol, indent));
    const head = `${typeParameters(signature.typeParameters ?? [])}(${parameters.join(', ')})`;
    return arrow === undefined ? head : `${head}${arrow}${spell(signature.getReturnType(), indent)}`;
  }

  function parameter(symbol, indent) {
    const type = checker.getTypeOfSymbol(symbol);
    const { valueDeclaration: declaration } = symbol;
    if (declaration?.dotDotDotToken || ts.getCheckFlags(symbol) & ts.CheckFlags.RestParameter) {
      if (!checker.isTupleType(type)) return [`...${symbol.name}: ${spell(type, indent)}`];
      const { labeledElementDeclarations: labels, elementFlags } = type.target;
      return checker.getTypeArguments(type).map((one, index) => {
        const isOptional = (elementFlags[index] & ts.ElementFlags.Optional) !== 0;
        return `${labels[index].name.text}${isOptional ? '?' : ''}: ${spell(one, indent, { isOptional })}`;
      });
    }
    const isOptional = declaration !== undefined && checker.isOptionalParameter(declaration);
    const name = /^[\w$]+$/.test(symbol.name) ? symbol.name : 'options';
    return [`${name}${isOptional ? '?' : ''}: ${spell(type, indent, { isOptional, isParameter: true })}`];
  }

  /** Of an alias its name, but where `declared` is that alias. What may be left out needs no `undefined` of its own. */
  function spell(type, indent, { declared, isOptional = false, isParameter = false } = {}) {
    const { aliasSymbol: alias } = type;
    const isPlainAlias = alias && alias !== declared && !type.aliasTypeArguments && isOurs(alias);
    if (isPlainAlias) return nameOf(alias);
    const known = aliases.find(([one, symbol]) => one === type && symbol !== declared);
    if (known) return nameOf(known[1]);
    const isLeftOut = ({ flags, debugIntrinsicName: name }) =>
      isOptional && flags & TypeFlags.Undefined && (isParameter || name === 'missing');
    if (type.isUnion())
      return union(
        type.types.filter((one) => !isLeftOut(one)),
        indent,
        declared,
      );
    const { flags } = type;
    if (flags & TypeFlags.StringLiteral) return `'${type.value.replaceAll("'", "\\'")}'`;
    if (flags & TypeFlags.NumberLiteral) return String(type.value);
    if (flags & TypeFlags.TypeParameter) return type.symbol.name;
    if (flags & TypeFlags.Index) return `keyof ${spell(type.type, indent)}`;
    if (flags & TypeFlags.IndexedAccess)
      return `${spell(type.objectType, indent)}[${spell(type.indexType, indent)}]`;
    if (type.isIntersection()) {
      const isNamed = type.types.some((one) => one.symbol && one.symbol.flags & SymbolFlags.Interface);
      return isNamed ? type.types.map((one) => spell(one, indent)).join(' & ') : members(type, indent);
    }
    if (flags & TypeFlags.Object) return object(type, indent);
    return checker.typeToString(type);
  }

  function union(types, indent, declared) {
    const known = aliases.find(
      ([type, symbol]) =>
        symbol !== declared && type.isUnion() && type.types.every((part) => types.includes(part)),
    );
    if (known) {
      const rest = types.filter((one) => !known[0].types.includes(one));
      return [nameOf(known[1]), ...(rest.length > 0 ? [union(rest, indent, declared)] : [])].join(' | ');
    }
    const isBoolean = ({ flags }) => flags & TypeFlags.BooleanLiteral;
    const both = types.filter(isBoolean).length === 2;
    const parts = both ? types.filter((type) => !isBoolean(type)) : types;
    const written = parts.map((type) => {
      const text = spell(type, indent);
      return text.includes('=>') ? `(${text})` : text;
    });
    const last = written.filter((text) => text === 'undefined' || text === 'null');
    const first = written.filter((text) => !last.includes(text));
    return [...new Set([...first, ...(both ? ['boolean'] : []), ...last])].join(' | ');
  }

  function object(type, indent) {
    const { symbol } = type;
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type);
      const text = spell(item, indent);
      const whole = /[ |&]/.test(text) && !text.startsWith('{') ? `(${text})` : text;
      return `${symbol.name === 'ReadonlyArray' ? 'readonly ' : ''}${whole}[]`;
    }
    if (checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type).map((one) => spell(one, indent));
      return `${type.target.readonly ? 'readonly ' : ''}[${items.join(', ')}]`;
    }
    const isNamed = symbol && symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class);
    if (isNamed) return reference(type, indent);
    const calls = type.getCallSignatures();
    const isFunction = calls.length === 1 && checker.getPropertiesOfType(type).length === 0;
    return isFunction ? call(calls[0], indent, ' => ') : members(type, indent);
  }

  function reference(type, indent) {
    const { symbol } = type;
    const list = type.objectFlags & ObjectFlags.Reference ? checker.getTypeArguments(type) : [];
    // The last one is what `this` is.
    const count = type.target?.typeParameters?.length ?? 0;
    const args = list.slice(0, count).map((one) => spell(one, indent));
    return `${place(symbol)}${args.length > 0 ? `<${args.join(', ')}>` : ''}`;
  }

  function place(symbol) {
    if (isOurs(symbol)) return nameOf(symbol);
    const [declaration] = symbol.declarations;
    const { fileName } = declaration.getSourceFile();
    if (/typescript[\w-]*\/lib\/lib\.[\w.]+\.d\.ts$/.test(fileName)) return symbol.name;
    if (!/node_modules\/(@types\/node|undici-types)\//.test(fileName)) fail(symbol.name, declaration);
    const module = ts.findAncestor(
      declaration,
      (node) => ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name),
    );
    return module ? importOf(`node:${module.name.text.replace('node:', '')}`, symbol.name) : symbol.name;
  }

  function isOurs(symbol) {
    return symbol.declarations?.[0]?.getSourceFile().fileName.startsWith(SOURCES) ?? false;
  }
}
