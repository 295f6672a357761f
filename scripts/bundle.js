/**
 * What hosts load, `require` or `import`: one file in CommonJS, which every loader and test runner takes, jest's own realm among
 * them. There is one copy of everything, however it is loaded, and a host reads one file where the compiled sources are a thousand.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';

/** Whom a host knows by name, or instruments, or has one copy of; and what looks for files beside its own. */
const NOT_OURS = [
  'express',
  'luxon',
  'nodemailer',
  'pg',
  'pino',
  'prom-client',
  'stripe',
  '@opentelemetry/*',
  '@electric-sql/*',
];

/** What applications load, by name, each with declarations of its own. */
const ENTRIES = ['index', 'testing'];

/** Makes of a folder of compiled sources what is published; of the sources it needs no more than declarations, and the thread's files. */
export async function bundle(folder) {
  const entries = ENTRIES.filter((name) => existsSync(join(folder, `${name}.js`)));
  const contents = [...entries, 'cli'].map((name) => `exports.${name} = () => require('./${name}.js');`);
  const { metafile } = await build({
    stdin: { contents: contents.join('\n'), resolveDir: folder },
    absWorkingDir: folder,
    outfile: join(folder, 'bundle.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: NOT_OURS,
    // What is loaded when it is used: jest has no `import()` without a flag of Node's.
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    plugins: [ownFiles(folder), queueClock, noLocales],
  });
  tidy(join(folder, 'bundle.cjs'));
  writeFileSync(join(folder, 'third-party-licenses.txt'), listLicenses(folder, Object.keys(metafile.inputs)));
  const load = createRequire(join(folder, 'bundle.cjs'));
  for (const name of entries) writeEntry(folder, name, Object.keys(load('./bundle.cjs')[name]()));
  writeFileSync(
    join(folder, 'cli.js'),
    `#!/usr/bin/env node\nimport bundle from './bundle.cjs';\nbundle.cli();\n`,
    { mode: 0o755 },
  );
}

/**
 * The limit of a line's length divides texts, too, and rollup indents each line: their second half would begin with a tab. And of a
 * source with one character beyond ASCII, as esbuild leaves in regular expressions, a process keeps twice the bytes.
 */
function tidy(file) {
  const text = readFileSync(file, 'utf8').replace(/(?<!\\)((?:\\\\)*)\\\n/g, '$1');
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, text.replace(/[\u0080-\uffff]/g, escaped));
}

function writeEntry(folder, entry, names) {
  const required = `'use strict';\nconst part = require('./bundle.cjs').${entry}();\n`;
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
    for (const part of ['store', 'service']) {
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
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const place = relative(folder, path);
      if (place.startsWith('..') || !text.includes('import.meta.url')) return undefined;
      const address = JSON.stringify(`file:///${place.replaceAll(sep, '/')}`);
      const isFound = /^(cli.js|kit|telemetry|store.pglite)/.test(place);
      const real = `require('node:url').pathToFileURL(require('node:path').join(typeof __dirname === 'string' ? __dirname : '/', ${JSON.stringify(place)})).href`;
      return { contents: text.replaceAll('import.meta.url', isFound ? `(${real})` : address) };
    });
  },
});

/** The clock alone, which is there before a queue is: the rest of it loads the database's driver. */
const queueClock = {
  name: 'queue-clock',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^pg-boss$/ }, ({ importer, resolveDir }) => {
      if (!importer.endsWith(join('kit', 'clock.js'))) return undefined;
      const main = createRequire(join(resolveDir, 'clock.js')).resolve('pg-boss');
      return { path: join(main, '..', 'clock.js') };
    });
  },
};

/** Messages of schemas in sixty languages: ours are English. */
const noLocales = {
  name: 'no-locales',
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod.v4.locales.index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};
