/** Writes manifest/stripe-app.json: without options as it is in the repository, else for one installation (manifest/README.md). */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EXAMPLE, findManifestProblems, renderManifest } from './render-app-manifest.ts';

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: EXAMPLE.backend },
    'test-backend': { type: 'string' },
    id: { type: 'string', default: EXAMPLE.id },
    public: { type: 'boolean', default: false },
    out: { type: 'string', default: 'manifest/stripe-app.json' },
  },
});

const text = renderManifest({
  backend: values.backend,
  testBackend: values['test-backend'],
  id: values.id,
  distribution: values.public ? 'public' : 'private',
});
const problems = findManifestProblems(text);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  writeFileSync(values.out, text);
  console.log(`${values.out} is written; upload it with: stripe apps upload`);
}
