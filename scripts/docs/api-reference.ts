/** Writes what `src/index.ts` exports, with its doc comments, as Markdown into the folder that is given (typedoc). */
import { register } from 'node:module';

// TypeScript 7 has no API for other programs: typedoc reads the sources by that of 6.
register(
  `data:text/javascript,${encodeURIComponent(
    `export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-6' : name, context);`,
  )}`,
  import.meta.url,
);
const { Application } = await import('typedoc');

const [folder = 'previews/reference'] = process.argv.slice(2);
const app = await Application.bootstrapWithPlugins({
  entryPoints: ['src/index.ts'],
  tsconfig: 'tsconfig.build.json',
  plugin: ['typedoc-plugin-markdown'],
  out: folder,
  readme: 'none',
  // `npm run check` has done it.
  skipErrorChecking: true,
  excludeExternals: true,
  disableSources: true,
  // What the parts of `Config` and the like are made of is no promise of ours.
  validation: { notExported: false, invalidLink: true, notDocumented: true },
  requiredToBeDocumented: ['Class', 'Function', 'Interface', 'Method', 'TypeAlias', 'Variable'],
});
const project = await app.convert();
if (project) {
  app.validate(project);
  await app.generateOutputs(project);
}
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
