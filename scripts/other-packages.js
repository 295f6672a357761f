/** Changes to other packages' code as it is bundled: what we do not use is left out, and nothing is shared with the host's copies. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Plugins of esbuild; `folder` has our compiled sources. */
export const otherPackages = (folder) => [
  oneLuxon(folder),
  queueClock,
  noRecurrenceRules,
  usedSchemas(folder),
  ownSchemas,
  withoutComments,
];

/** The clock alone, which is there before a queue is: the rest of it loads the database's driver. */
const queueClock = {
  name: 'queue-clock',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^pg-boss$/ }, ({ importer, resolveDir }) => {
      if (!importer.endsWith(join('base', 'clock.js'))) return undefined;
      const main = createRequire(join(resolveDir, 'clock.js')).resolve('pg-boss');
      return { path: join(main, '..', 'clock.js') };
    });
  },
};

/** Resolves luxon to one file: the parser of cron expressions requires it, and everything else imports it. */
const oneLuxon = (folder) => ({
  name: 'one-luxon',
  setup: ({ onResolve }) => {
    const { resolve } = createRequire(join(folder, 'index.js'));
    onResolve({ filter: /^luxon$/ }, () => ({ path: resolve('luxon') }));
  },
});

/** Of the queue's schedules: ours are cron expressions. */
const noRecurrenceRules = {
  name: 'no-recurrence-rules',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^rrule-temporal$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /./, namespace: 'left-out' }, () => ({
      contents: `export class RRuleTemporal {
        constructor() { throw new Error('This package leaves recurrence rules out of its queue.'); }
      }`,
    }));
  },
};

/** What our sources use of the schemas; without it, everything is kept, with messages in sixty languages. */
const usedSchemas = (folder) => ({
  name: 'used-schemas',
  setup: ({ onLoad }) => {
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((text) => text.includes("from 'zod'"));
    const used = [...new Set(texts.flatMap((text) => text.match(/(?<=\bz\.)\w+/g) ?? []))].sort();
    onLoad({ filter: /zod.index\.js$/ }, () => ({
      contents: `import * as all from './v4/classic/external.js';
        import { config } from './v4/core/core.js';
        import english from './v4/locales/en.js';
        config(english());
        export const z = { ${used.map((name) => `${name}: all.${name}`).join(', ')} };`,
    }));
  },
});

/** Its settings and names are the process's: a host sets them for schemas of its own, in its own language. */
const ownSchemas = {
  name: 'own-schemas',
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod.v4.core.(core|registries)\.js$/ }, ({ path }) => ({
      contents: `const ours = {};\n${codeOf(path).replaceAll('globalThis', 'ours')}`,
    }));
  },
};

/** Comments of other packages are a tenth of the download; who reads them has the package. */
const withoutComments = {
  name: 'without-comments',
  setup: ({ onLoad }) => {
    onLoad({ filter: /node_modules.*\.[cm]?js$/ }, ({ path }) => ({ contents: codeOf(path) }));
  },
};

/** TypeScript 7 has no API for other programs. Loaded when something is bundled, and not by `import`, as in `declarations.js`. */
const loadCompiler = () => createRequire(import.meta.url)('typescript-6');
const codes = new Map();

/** All but what tells a bundler something, such as `__PURE__`. */
function codeOf(path) {
  const known = codes.get(path);
  if (known !== undefined) return known;
  const ts = loadCompiler();
  const text = readFileSync(path, 'utf8');
  const comments = new Map();
  const visit = (node) => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? [])
      if (!/[#@]__/.test(text.slice(pos, end))) comments.set(pos, end);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS));
  let [code, at] = ['', 0];
  for (const [pos, end] of [...comments].sort(([one], [other]) => one - other)) {
    code += text.slice(at, pos);
    at = end;
  }
  code += text.slice(at);
  codes.set(path, code);
  return code;
}
