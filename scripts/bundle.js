/**
 * What hosts load, `require` or `import`: one file in CommonJS, which every loader and test runner takes, jest's own realm among
 * them. There is one copy of everything, however it is loaded, and a host reads one file where the compiled sources are a thousand.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { writeLineMap } from './line-map.js';
import { otherPackages } from './other-packages.js';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8'));

/** Whom a host knows by name, or instruments, or has one copy of; and what looks for files beside its own. */
const NOT_OURS = [
  'express',
  'nodemailer',
  'pg',
  'pino',
  'prom-client',
  'stripe',
  '@opentelemetry/*',
  '@electric-sql/*',
];

/** What applications load, by name, each with declarations of its own. */
export const ENTRIES = ['index', 'testing'];

/**
 * What begins each file; in it is what those load at once and no earlier file has. A host that starts on PostgreSQL holds no text but
 * that of the first two, `start` that of the first three, and V8 keeps less of what it needs to read them than of what it needs for one.
 */
const FILES = {
  'bundle.cjs': ['index.js'],
  'bundle-start.cjs': ['plugin/app/assemble.js', 'core/database/postgres-database.js'],
  'bundle-command.cjs': ['cli.js', 'cli/start-command.js'],
  'bundle-demand.cjs': ['testing.js'],
};
const ORDER = Object.keys(FILES);
const MAP_LINE = /\n\/\/# sourceMappingURL=\S+\n?$/;

/** Makes of a folder of compiled sources what is published; of the sources it needs no more than the thread's files. */
export async function bundle(folder) {
  const entries = [...ENTRIES, 'cli'].filter((name) => existsSync(join(folder, `${name}.js`)));
  const paths = entries.map((name) => `${name}.js`);
  const { metafile } = await bundleFile(folder, paths, { write: false });
  const shared = divide(metafile.inputs);
  for (const file of ORDER) {
    const own = paths.filter((path) => shared.fileOf(path) === file);
    await bundleFile(folder, [...own, ...shared.listOf(file)], {
      outfile: join(folder, file),
      sourcemap: true,
      plugins: [otherFile(folder, file, shared)],
    });
    writeLineMap(join(folder, `${file}.map`), tidy(join(folder, file)), PACKAGE);
  }
  // The thread's files are published as they are written.
  const thread = join(folder, 'core/database/pglite');
  const threadFiles = existsSync(thread) ? readdirSync(thread).filter((name) => name.endsWith('.js')) : [];
  for (const name of threadFiles)
    writeFileSync(join(thread, name), readFileSync(join(thread, name), 'utf8').replace(MAP_LINE, ''));
  writeFileSync(join(folder, 'third-party-licenses.txt'), listLicenses(folder, Object.keys(metafile.inputs)));
  for (const name of entries.filter((entry) => ENTRIES.includes(entry)))
    writeEntry(
      folder,
      name,
      shared.partOf(`${name}.js`),
      namesOf(folder, shared.fileOf(`${name}.js`), `${name}.js`),
    );
  const loaded = `createRequire(import.meta.url)('./${shared.fileOf('cli.js')}')['cli.js']()`;
  const program = join(folder, 'cli.js');
  // Not imported: Node.js would look through the whole file for what it exports.
  writeFileSync(program, `#!/usr/bin/env node\nimport { createRequire } from 'node:module';\n\n${loaded};\n`);
  chmodSync(program, 0o755);
}

/** Each part is a function that returns what the module exports, by the module's path. */
function bundleFile(folder, parts, { plugins = [], ...options }) {
  const contents = parts.map((path) => `exports[${JSON.stringify(path)}] = () => require('./${path}');`);
  return build({
    stdin: { contents: contents.join('\n'), resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: NOT_OURS,
    // What is loaded when it is used: jest has no `import()` without a flag of Node's.
    supported: { 'dynamic-import': false },
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    plugins: [...plugins, ownFiles(folder), ...otherPackages(folder)],
    ...options,
  });
}

/** Which module is in which file, and what of each file the others load. */
function divide(inputs) {
  const places = new Map();
  const visit = (path, file) => {
    if (places.has(path) || !(path in inputs)) return;
    places.set(path, file);
    for (const { path: next, kind } of inputs[path].imports) if (kind !== 'dynamic-import') visit(next, file);
  };
  for (const file of ORDER) for (const root of FILES[file]) visit(root, file);
  const fileOf = (path) => places.get(path) ?? ORDER.at(-1);
  const imports = Object.entries(inputs).flatMap(([from, { imports }]) =>
    imports.map(({ path }) => ({ from, path })),
  );
  const wanted = imports.filter(
    ({ from, path }) => from !== '<stdin>' && path in inputs && fileOf(from) !== fileOf(path),
  );
  const listed = [...new Set(wanted.map(({ path }) => path))];
  return {
    fileOf,
    listOf: (file) => listed.filter((path) => fileOf(path) === file),
    partOf: (path) => `require('./${fileOf(path)}')[${JSON.stringify(path)}]()`,
    isModule: (path) => inputs[path].format === 'esm',
  };
}

const namesOf = (folder, file, part) => Object.keys(createRequire(join(folder, file))(`./${file}`)[part]());

/** A module that is in another file is asked of it, so that there is one copy of each. */
const otherFile = (folder, file, shared) => ({
  name: 'other-file',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /^[^<]/ }, async ({ path, pluginData, ...place }) => {
      if (pluginData === 'asked') return undefined;
      if (place.namespace === 'other') return { path, external: true };
      const found = await resolve(path, { ...place, pluginData: 'asked' });
      if (found.external || found.namespace !== 'file' || found.errors.length > 0) return found;
      const part = relative(folder, found.path).replaceAll(sep, '/');
      return shared.fileOf(part) === file ? found : { path: part, namespace: 'other' };
    });
    onLoad({ filter: /./, namespace: 'other' }, ({ path }) => {
      const from = shared.fileOf(path);
      const part = shared.partOf(path);
      // An earlier file is whole when this one loads it; by its names it stays a module, whose default is its own.
      const isEarlier = ORDER.indexOf(from) < ORDER.indexOf(file);
      if (!isEarlier || !shared.isModule(path)) return { contents: `module.exports = ${part};` };
      const names = namesOf(folder, from, path).map((name) => (name === 'default' ? 'default: main' : name));
      const main = names.includes('default: main') ? 'export { main as default };' : '';
      const own = names.filter((name) => name !== 'default: main');
      return { contents: `const { ${names.join(', ')} } = ${part};\nexport { ${own.join(', ')} };\n${main}` };
    });
  },
});

/** Escapes characters beyond ASCII, as esbuild leaves in regular expressions: of a source with one, a process keeps twice the bytes. */
function tidy(file) {
  const text = readFileSync(file, 'utf8');
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, text.replace(/[\u0080-\uffff]/g, escaped));
  return text;
}

function writeEntry(folder, entry, part, names) {
  const required = `'use strict';\nconst part = ${part};\n`;
  writeFileSync(
    join(folder, `${entry}.cjs`),
    required + names.map((name) => `exports.${name} = part.${name};\n`).join(''),
  );
  const imported = `import part from './${entry}.cjs';\nexport const { ${names.join(', ')} } = part;\n`;
  writeFileSync(join(folder, `${entry}.mjs`), imported);
  // Next.js's bundler takes every file of the folder for code, and ends at `export *` in CommonJS.
  const declared = `import part = require('./${entry}.js');\nexport = part;\n`;
  writeFileSync(join(folder, `${entry}.d.cts`), declared);
}

/** Of each package whose code is in the bundle. */
function listLicenses(folder, inputs) {
  const packages = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const describe = (path) => {
    const place = join(folder, path);
    const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    const file = readdirSync(place).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : readFileSync(join(place, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  };
  return [...packages]
    .sort()
    .map(describe)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** SQL is part of the bundle, so that it starts inside a bundle of the host's; the embedded database's thread has files of its own. */
const ownFiles = (folder) => ({
  name: 'own-files',
  setup: ({ onLoad }) => {
    const files = {};
    for (const part of ['plugin/store', 'service']) {
      const place = `/${part}/migrations/`;
      const names = readdirSync(join(folder, place)).filter((name) => name.endsWith('.sql'));
      files[place] = names
        .sort()
        .map((name) => ({ name, sql: readFileSync(join(folder, place, name), 'utf8') }));
    }
    onLoad({ filter: /read-migrations\.js$/ }, () => ({
      contents: `const FILES = ${JSON.stringify(files)};
        export const readMigrations = async ({ pathname }) => FILES[pathname];`,
    }));
    onLoad({ filter: /own-version\.js$/ }, () => ({
      contents: `export const ownVersion = () => ${JSON.stringify(PACKAGE.version)};`,
    }));
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const place = relative(folder, path);
      if (place.startsWith('..') || !text.includes('import.meta.url')) return undefined;
      const address = JSON.stringify(`file:///${place.replaceAll(sep, '/')}`);
      const isFound =
        /^(cli.app-command|plugin.operator.api.mcp|core.base|core.telemetry|core.database.pglite)/.test(
          place,
        );
      const real = `require('node:url').pathToFileURL(require('node:path').join(typeof __dirname === 'string' ? __dirname : '/', ${JSON.stringify(place)})).href`;
      return { contents: text.replaceAll('import.meta.url', isFound ? `(${real})` : address) };
    });
  },
});
